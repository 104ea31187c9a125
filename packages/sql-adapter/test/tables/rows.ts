// Rows of the user's own table that a test makes for itself, and what they hold.
import { type RunningArm, TABLE } from "./arm.js";

let last = 0;

/** The table's name as its dialect quotes it. */
export function quoted({ dialect }: RunningArm): string {
  return dialect === "mysql" ? `\`${TABLE}\`` : `"${TABLE}"`;
}

export interface OrderRow {
  readonly number: string;
  readonly provider: string;
  readonly payment: string;
  readonly request: string;
  readonly note?: string;
}

/** An order that no other test has. */
export function order(more: Partial<OrderRow> = {}): OrderRow {
  last += 1;
  return {
    number: `n${last}`,
    provider: "visa",
    payment: `p${last}`,
    request: `r${last}`,
    ...more,
  };
}

/** Inserts an order and returns its id. */
export async function insertOrder(arm: RunningArm): Promise<number> {
  const created = await arm.tables.insertOnce(TABLE, order(), { uniqueBy: ["number"] });
  if (created.outcome !== "created") throw new Error(created.outcome);
  return Number(created.row.id);
}

export interface Order {
  readonly status: string;
  readonly version: number;
  readonly balance: number;
  readonly token: number | null;
}

/** What an order holds. */
export async function orderOf(arm: RunningArm, id: number): Promise<Order> {
  const [row] = await arm.run(
    `SELECT status, version, balance, fencing_token FROM ${quoted(arm)} WHERE id = ${id}`,
  );
  const { status, version, balance, fencing_token: token } = row ?? {};
  return {
    status: String(status),
    version: Number(version),
    balance: Number(balance),
    token: token === null ? null : Number(token),
  };
}
