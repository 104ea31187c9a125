// What a broken variant is: one small change of the real source, and the test that must fail of it.

export interface Mutant {
  /** `algorithm/what-is-broken`. */
  readonly id: string;
  /** The guarantee that it breaks. */
  readonly guarantee: string;
  /** The source file, within the package. */
  readonly file: string;
  /** Text that occurs exactly once in that file. */
  readonly find: string;
  readonly replace: string;
  /** The test file that must fail, within the package. */
  readonly test: string;
}
