// A real browser page, through Debian's Chromium.
import { join } from "node:path";
import { chromium as browserType } from "playwright-core";
import { findChromium } from "../../packages/test-servers/src/find.mjs";
import { bundle } from "../bundle.mjs";

const flags = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

export const chromium = {
  name: "chromium",
  missing: () => (findChromium() === undefined ? "chromium is not installed" : undefined),
  async run({ folder }) {
    const path = await bundle(join(folder, "script.mjs"), "iife");
    const browser = await browserType.launch({
      executablePath: findChromium(),
      headless: true,
      args: flags,
    });
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ path });
      return await page.evaluate(() => globalThis.runOnceproofSuite());
    } finally {
      await browser.close();
    }
  },
};
