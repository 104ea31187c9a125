// The smoke cases: what must work in every runtime. Each takes the exports of @onceproof/core.
import { holds } from "./expect.mjs";

export const cases = [
  {
    title: "the built module loads and exports something",
    run: (core) => holds(Object.keys(core).length > 0, "core has exports"),
  },
];
