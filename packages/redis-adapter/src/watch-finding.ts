// Says in words why watches do not wake.

import { driverError } from "@onceproof/core/advanced";
import type { Finding } from "./finding.js";

export function watchUnavailable(cause: unknown): Finding {
  const { message } = driverError(cause);
  return {
    id: "watchUnavailable",
    severity: "warning",
    finding: `waiters cannot be woken and look by themselves, at most a second apart: ${message}`,
    remedy:
      "allow SSUBSCRIBE and SPUBLISH on channels named like the keys (ACL: &onceproof|*), pass a" +
      " client that has duplicate(), or opt out by watch: false",
  };
}
