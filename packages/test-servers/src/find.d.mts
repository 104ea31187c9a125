export declare function findRedis(): string | undefined;
export declare function findPostgres(): string | undefined;
export declare function findChromium(): string | undefined;
export declare function findCompiler(): string | undefined;
export declare function onPath(program: string): string | undefined;
