// Puts a broken store in place of a harness' own, to see whether that harness lets the kit notice.

import { overlay } from "../../overlay.js";
import type { ConformanceHarness } from "../harness.js";
import type { BrokenStore } from "./broken-store.js";

/**
 * The harness with every client of its stores broken in the same way: the case that
 * `broken.rejectedBy` names must fail on it. Where it is skipped, the harness lacks what it needs.
 */
export function breakHarness(harness: ConformanceHarness, broken: BrokenStore): ConformanceHarness {
  return overlay(harness, {
    async create() {
      const fixture = await harness.create();
      const { store, peer, otherNamespace, otherNamespaceTail = "", restart } = fixture;
      const breaks = broken.create();
      return overlay(fixture, {
        store: breaks(store),
        peer: peer && breaks(peer),
        otherNamespace: otherNamespace && breaks(otherNamespace, otherNamespaceTail),
        restart: restart && (async () => breaks(await restart.call(fixture), undefined, true)),
      });
    },
  });
}
