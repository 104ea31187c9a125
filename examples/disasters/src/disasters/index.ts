// Every disaster, in the order of the table.

import type { Disaster } from "../disaster.js";
import { doubleClick } from "./double-click.js";
import { flashSale } from "./flash-sale.js";
import { formSubmit } from "./form-submit.js";
import { lostReply } from "./lost-reply.js";
import { paidAgain } from "./paid-again.js";
import { paymentCallback } from "./payment-callback.js";
import { redeliveredMessage } from "./redelivered-message.js";
import { stalledWorker } from "./stalled-worker.js";
import type { Payload } from "./webhook-payloads.js";
import { webhookReplay } from "./webhook-replay.js";

/** `payloads` are what the last one replays; `buyers` come to the sale. */
export function allDisasters(
  payloads: readonly Payload[],
  { buyers = 1_000 }: { readonly buyers?: number } = {},
): readonly Disaster[] {
  return [
    doubleClick,
    lostReply,
    redeliveredMessage,
    paymentCallback,
    formSubmit,
    paidAgain,
    flashSale(buyers),
    stalledWorker,
    webhookReplay(payloads),
  ];
}
