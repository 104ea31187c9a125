export declare function findRedis(): string | undefined;
export declare function findValkey(): string | undefined;
export declare function findMariadb(): { server: string; install: string } | undefined;
export declare function findPgbouncer(): string | undefined;
export declare function findPostgres(): string | undefined;
export declare function findChromium(): string | undefined;
export declare function findCompiler(): string | undefined;
export declare function onPath(program: string): string | undefined;
