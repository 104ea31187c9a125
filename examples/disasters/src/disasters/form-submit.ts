// An impatient customer presses "order" three times. The session says "not yet submitted" to all of
// them.

import { isDeepStrictEqual } from "node:util";
import { createTokens } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import type { Parcel } from "../world/sinks.js";
import type { World } from "../world/world.js";

const SUBMITS = 3;

interface Form {
  readonly token: string;
  readonly item: string;
}

interface Handlers {
  /** What the page carries in a hidden field. */
  show(session: string): Promise<string>;
  submit(session: string, form: Form): Promise<Parcel | undefined>;
}

/** The form as it is often written: a flag in the session. */
function form({ warehouse, table }: World): Handlers {
  const submitted = table<true>("submitted");
  return {
    show: async () => "",
    async submit(session, { item }) {
      if (await submitted.get(session)) {
        return undefined;
      }
      const parcel = await warehouse.ship(item);
      await submitted.put(session, true);
      return parcel;
    },
  };
}

function protect(world: World): Handlers {
  const { warehouse } = world;
  // As long as a run may be interrupted: the page is still open then.
  const common = { tokenMs: 3_600_000, ...world.common };
  const place = ({ item }: Form, key: string) => warehouse.ship(item, key);
  // #region recipe
  const forms = createTokens({ name: "form", onCrash: "rerun", ...common });
  // #endregion
  return {
    async show(session) {
      // #region recipe
      const token = await forms.issue(session); // a hidden field of the page
      // #endregion
      return token;
    },
    async submit(session, form) {
      const { token } = form;
      // #region recipe
      const order = await forms.run(token, session, (ctx) => {
        return place(form, ctx.childKey("order")); // its Idempotency-Key
      });
      // #endregion
      return order;
    },
  };
}

interface Browser {
  open(session: string): Promise<Form>;
  press(session: string, form: Form): Promise<unknown>;
}

async function serve(world: World, handlers: Handlers): Promise<Browser> {
  const app = createApp();
  app.post("/form/open", async (c) =>
    c.json(await handlers.show(c.req.header("session") ?? "nobody")),
  );
  app.post("/form", async (c) => {
    const session = c.req.header("session") ?? "nobody";
    const parcel = await handlers.submit(session, await c.req.json<Form>());
    return parcel === undefined ? c.json({ error: "already submitted" }, 409) : c.json(parcel);
  });
  const url = await world.serve(app);
  return {
    async open(session) {
      const { body } = await world.client.post(`${url}/form/open`, {}, { session });
      return { token: String(body), item: "teapot" };
    },
    press: async (session, form) =>
      (await world.client.post(`${url}/form`, form, { session })).body,
  };
}

async function pressThrice({ id, keep }: World, browser: Browser): Promise<unknown[]> {
  const session = id("session-1");
  const page = await keep("page", () => browser.open(session));
  return Promise.all(Array.from({ length: SUBMITS }, () => browser.press(session, page)));
}

export const formSubmit: Disaster = {
  name: "form-submit",
  title: "Three fast submits of one form",
  counted: "orders placed",
  expected: 1,
  algorithm: "tokens",
  factories: ["createTokens"],
  source: import.meta.url,

  async unprotected(world) {
    await pressThrice(world, await serve(world, form(world)));
    return { effects: world.warehouse.parcels };
  },

  async protected(world) {
    const browser = await serve(world, protect(world));
    const [first, ...others] = await pressThrice(world, browser);
    const effects = world.warehouse.parcels;
    const same = others.every((other) => isDeepStrictEqual(other, first));
    const problems = same ? [] : ["the submits got different answers"];
    const session = world.newId("session");
    const page = await browser.open(session);
    return {
      effects,
      problems,
      calls: await callsOf(world, () => browser.press(session, page)),
    };
  },
};
