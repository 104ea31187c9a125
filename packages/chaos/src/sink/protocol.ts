// What clients tell the sink and are answered, one line of JSON each.

/** A single-use token that one client passes on to the others. */
export interface Offer {
  readonly token: string;
  readonly subject: string;
  readonly kind: "stored" | "signed";
}

export type SinkRequest = { readonly id: number } & (
  | { readonly op: "effect"; readonly key: string; readonly token: number; readonly by: string }
  | {
      readonly op: "fencedEffect";
      readonly key: string;
      readonly token: number;
      readonly by: string;
      readonly value: string;
    }
  /** Raises the fence of the key's effect, and tells in the same step whether it happened. */
  | { readonly op: "verify"; readonly key: string; readonly token: number }
  | {
      readonly op: "fenced";
      readonly resource: string;
      readonly token: number;
      readonly by: string;
    }
  | { readonly op: "offer"; readonly offer: Offer }
  | { readonly op: "pick"; readonly at: number }
);

type OmitId<R> = R extends unknown ? Omit<R, "id"> : never;
export type SinkQuestion = OmitId<SinkRequest>;

export interface SinkReply {
  readonly id: number;
  readonly accepted: boolean;
  readonly value?: string;
  readonly offer?: Offer;
}
