import { expect, test } from "bun:test";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { DESK } from "../support/fixture-page.ts";
import { PageLab } from "../support/page-lab.ts";
import { sampled } from "../support/thorough.ts";

const ID = "%12";
const POISON = "poison that no view can draw";
const lab = PageLab.ofFile();

const SIZES = [
  ["phone", PHONE, "article.card"],
  ["desk", DESK, ".rows .row-item"],
] as const;

test.each(sampled(SIZES, 2))(
  "on a %s what cannot be drawn is one place of its list",
  async (_, size, place) => {
    const server = lab.server();
    const waiting = server.panes.filter(({ status }) => status === "needs_input").length;
    server.change(ID, { question: POISON });
    const { page } = await lab.page(size);
    await page.addInitScript((poison) => {
      const draw = Document.prototype.createTextNode;
      Document.prototype.createTextNode = function (text) {
        if (String(text).includes(poison)) throw new Error("this view has a fault");
        return draw.call(this, text);
      };
    }, POISON);
    await page.goto(`${server.url}#/queue`);
    const broken = page.locator(place).filter({ hasText: "This part could not be shown" }).first();
    await broken.getByText("session-rotation").waitFor();
    expect(await page.locator(place).count()).toBeGreaterThanOrEqual(waiting);
    // It leads to its pane, and is drawn again once that has something else to say.
    expect(await broken.getByRole("link").getAttribute("href")).toBe(
      `#/pane/${encodeURIComponent(ID)}`,
    );
    server.change(ID, { question: "Shall it go on?" });
    await page.getByText("Shall it go on?").first().waitFor();
    await becomes(() => broken.count(), 0);
  },
);
