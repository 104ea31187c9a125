import { BaseSequencer } from "vitest/node";

/** Sorts the test files so that the slowest begin first. */
export class SlowestFirst extends BaseSequencer {}
