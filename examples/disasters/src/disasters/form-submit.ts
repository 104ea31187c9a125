// An impatient customer presses "order" three times. The session says "not yet submitted" to all of
// them.

import { isDeepStrictEqual } from "node:util";
import { createTokens } from "@onceproof/core";
import { callsOf, type Disaster } from "../disaster.js";
import { createApp } from "../world/http-server.js";
import type { Parcel } from "../world/sinks.js";
import { Table } from "../world/table.js";
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
function form({ warehouse }: World): Handlers {
  const submitted = new Table<true>();
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

function protect(world: World, { submit }: Handlers): Handlers {
  const { store } = world;
  // #region recipe
  const forms = createTokens({ store, name: "form", onCrash: "park" });
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
      const order = await forms.run(token, session, () => submit(session, form));
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

async function pressThrice(browser: Browser): Promise<unknown[]> {
  const page = await browser.open("session-1");
  return Promise.all(Array.from({ length: SUBMITS }, () => browser.press("session-1", page)));
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
    await pressThrice(await serve(world, form(world)));
    return { effects: world.warehouse.parcels };
  },

  async protected(world) {
    const browser = await serve(world, protect(world, form(world)));
    const [first, ...others] = await pressThrice(browser);
    const effects = world.warehouse.parcels;
    const same = others.every((other) => isDeepStrictEqual(other, first));
    const problems = same ? [] : ["the submits got different answers"];
    const page = await browser.open("session-2");
    return {
      effects,
      problems,
      calls: await callsOf(world, () => browser.press("session-2", page)),
    };
  },
};
