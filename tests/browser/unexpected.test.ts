import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { PHONE } from "../support/browser.ts";
import { openFixture, type FixturePage, DESK } from "../support/fixture-page.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it, sampled } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let fixture: FixturePage;

/** The page on the fleet, with what `init` does to the browser before it. */
async function openIn(init: () => void): Promise<FixturePage> {
  const server = lab.server();
  const { page } = await lab.page(PHONE);
  await page.addInitScript(init);
  await page.goto(server.url);
  await page.getByText("Live", { exact: true }).first().waitFor();
  return { server, page };
}

const answered = async (page: Page) => {
  await page.getByRole("option").first().waitFor();
  await page.getByText("This browser keeps nothing now").waitFor();
};

test("a browser that blocks its storage shows the queue, and says that nothing is kept", async () => {
  fixture = await openIn(() => {
    for (const name of ["localStorage", "sessionStorage"])
      Object.defineProperty(window, name, {
        get: () => {
          throw new DOMException("The operation is insecure.", "SecurityError");
        },
      });
  });
  await answered(fixture.page);
});

it("a browser whose storage is full shows the queue, and keeps a draft for as long as the page", async () => {
  fixture = await openIn(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  const { page } = fixture;
  await page.evaluate(() => (location.hash = `#/pane/${encodeURIComponent("%14")}`));
  await page.locator("[data-composer]").fill("words for later");
  await page.getByText("This browser keeps nothing now").waitFor();
  await page.evaluate(() => (location.hash = "#/queue"));
  await page.getByRole("option").first().waitFor();
  await page.evaluate(() => (location.hash = `#/pane/${encodeURIComponent("%14")}`));
  await becomes(() => page.locator("[data-composer]").inputValue(), "words for later");
});

it("a configuration of an unexpected shape costs itself, not the queue", async () => {
  fixture = await openFixture(lab, {
    prepare: (server) => {
      const { _info } = server.config;
      const broken = { ..._info, labels: 7, allowed_keys: "all", capabilities: null };
      const config = { ...server.config, poll_interval: "fast", _info: broken };
      server.replies["/api/config"] = () => config;
    },
  });
  const { page } = fixture;
  await page.getByRole("option").first().waitFor();
  await page.evaluate(() => (location.hash = `#/pane/${encodeURIComponent("%14")}`));
  await page.locator("[data-terminal]").waitFor();
});

test("a pairing link in a tab that shows the page signs in, and leaves no code in the address", async () => {
  fixture = await openFixture(lab);
  const { page, server } = fixture;
  server.replies["/api/pair"] = () => ({ token: "fresh" });
  server.token = "fresh";
  server.closeSockets(1008);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await page.evaluate(() => (location.hash = "#pair=abcd-1234"));
  await page.getByRole("button", { name: /^Open the queue/ }).tap();
  await page.getByText("Live", { exact: true }).first().waitFor();
  expect(await page.evaluate(() => localStorage.getItem("panewatch.token"))).toBe("fresh");
  expect(page.url()).not.toContain("abcd-1234");
  await page.goBack();
  expect(page.url()).not.toContain("abcd-1234");
});

test("a reply field that comes with the page takes no focus; the tap that opens one gives it", async () => {
  fixture = await openFixture(lab);
  const { page } = fixture;
  const card = page.locator("article[data-pane]").filter({ hasText: "Type something" }).first();
  const option = card.getByRole("option", { name: /Type something/ });
  await option.scrollIntoViewIfNeeded();
  // What has just come or still scrolls takes no press.
  await calm(page);
  await option.tap();
  await becomes(() => page.evaluate(() => document.activeElement?.tagName), "TEXTAREA");
  await page.waitForFunction(() => Object.values(localStorage).join().includes("choice"));
  await page.reload();
  await page.getByRole("textbox", { name: "Reply" }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
});

test("signing out leaves nothing of the server in this browser but a person's own preferences", async () => {
  const server = lab.server();
  server.token = "open";
  const page = await lab.open(`${server.url}?token=open`);
  await page.getByText("Live", { exact: true }).first().waitFor();
  await page.evaluate(() => (location.hash = `#/pane/${encodeURIComponent("%14")}`));
  await page.locator("[data-composer]").fill("words for later");
  await page.waitForFunction(() => Object.values(localStorage).join().includes("words for later"));
  // Whatever is kept, this page has opened it or not.
  await page.evaluate(() => {
    for (const what of ["remarks.one", "chat.two", "plan", "creation", "of-a-later-version"])
      localStorage.setItem(`panewatch.${what}`, "{}");
  });
  await page.evaluate(() => (location.hash = "#/queue"));
  await page.getByRole("button", { name: "Settings" }).tap();
  await page.getByRole("button", { name: "Sign out" }).tap();
  await page.getByRole("button", { name: "Sign out" }).first().tap();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const kept = () =>
    page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort());
  await becomes(async () => (await kept()).filter((key) => key !== "panewatch.preferences"), []);
});

const POISON = "poison that no view can draw";

const SIZES = [
  ["phone", PHONE, "article.card"],
  ["desk", DESK, ".rows .row-item"],
] as const;

test.each(sampled(SIZES, 2))(
  "on a %s what cannot be drawn is one place of its list",
  async (_, size, place) => {
    const server = lab.server();
    const waiting = server.panes.filter(({ status }) => status === "needs_input").length;
    server.change("%12", { question: POISON });
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
    expect(await broken.getByRole("link").getAttribute("href")).toBe("#/pane/%2512");
    server.change("%12", { question: "Shall it go on?" });
    await page.getByText("Shall it go on?").first().waitFor();
    await becomes(() => broken.count(), 0);
  },
);
