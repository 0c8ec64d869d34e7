import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PHONE } from "../support/browser.ts";
import { audit } from "../support/audit.ts";
import { calm } from "../support/calm.ts";
import { withRecord } from "../support/fixture-record.ts";
import { openFixture } from "../support/fixture-page.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
const openSettings = async (page: Page) => {
  await page.getByRole("button", { name: "Settings" }).first().tap();
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
};
/** One of the six rows of the first level. */
const openPage = async (page: Page, name: string) => {
  await openSettings(page);
  await page.getByRole("button", { name: new RegExp(`^${name}`) }).tap();
};
const back = (page: Page) => page.getByRole("button", { name: "Back to settings" }).tap();

test("what belongs to this browser holds after a reload and reaches no server", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  await openPage(page, "Look");
  await page.getByRole("radio", { name: "Dark" }).tap();
  await page.getByRole("combobox", { name: "Open at" }).selectOption("all");
  await back(page);
  await page.getByText("Dark · starts with All").waitFor();
  await page.getByRole("button", { name: /^Answering/ }).tap();
  await page.getByRole("combobox", { name: "Answer with" }).selectOption("confirm");
  await page.getByRole("button", { name: /^Snippets/ }).tap();
  const fresh = page.getByRole("textbox", { name: "New snippet" });
  await fresh.fill("undo that");
  await fresh.press("Enter");
  await page.getByRole("button", { name: "Remove “commit”" }).tap();
  await back(page);
  await page.getByRole("button", { name: /^Snippets\s*4/ }).waitFor();
  // The installed app opens where the reader wants it.
  const { start_url } = await (await fetch(`${server.url}manifest.webmanifest`)).json();
  await page.goto("about:blank");
  await page.goto(new URL(start_url, server.url).href);
  await page.waitForFunction(() => location.hash === "#/all");
  await becomes(() => page.evaluate(() => document.documentElement.dataset["theme"]), "dark");
  const bar = () =>
    page.evaluate(() =>
      [...document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')]
        .filter(({ media }) => matchMedia(media).matches)
        .map(({ dataset }) => dataset["scheme"]),
    );
  // The browser's own bar follows the theme that was chosen.
  expect(await bar()).toEqual(["dark"]);
  await openPage(page, "Answering");
  const hints = page.locator("[role=switch]:has(.item-hint)");
  await hints.first().waitFor();
  for (const one of await hints.all()) {
    const id = await one.getAttribute("aria-describedby");
    expect(await page.locator(`[id="${id}"]`).textContent()).toBe(
      await one.locator(".item-hint").textContent(),
    );
  }
  const answerWith = page.getByRole("combobox", { name: "Answer with" });
  await becomes(() => answerWith.inputValue(), "confirm");
  expect(server.requests.filter(({ method }) => method === "PATCH")).toEqual([]);
});

test("at the largest text nothing leaves a narrow phone, and the terminal keeps its own size", async () => {
  const viewport = { ...PHONE, width: 360, height: 740 };
  const { page, server } = await openFixture(lab, {
    viewport,
    prepare: (server) => withRecord(server),
  });
  const sizeOf = (selector: string) =>
    page.evaluate((found) => {
      const element = document.querySelector(found);
      return element === null ? null : getComputedStyle(element).fontSize;
    }, selector);
  await openPage(page, "Look");
  const before = await sizeOf(".item");
  await page.getByRole("combobox", { name: "Text size" }).selectOption({ label: "Very large" });
  await becomes(() => sizeOf("html"), "20.8px");
  expect([before, await sizeOf(".item")]).toEqual(["15px", "19.5px"]);
  expect(await audit(page, true)).toEqual([]);
  for (const [hash, shows] of [
    ["#/queue", "[data-options]"],
    ["#/all", "[data-row]"],
    ["#/record", ".record-list"],
    ["#/stats", "text=Fleet"],
    ["#/pane/%2514", "[data-terminal]"],
  ]) {
    await page.goto(`${server.url}${hash}`);
    await page
      .locator(shows ?? "")
      .first()
      .waitFor();
    await calm(page);
    expect([hash, ...(await audit(page, true))]).toEqual([hash]);
  }
  expect(await sizeOf("[data-terminal] pre")).toBe("12px");
});

it("the highlighted answer is marked, and the icon counts who waits, unless it is turned off", async () => {
  const fixture = await openFixture(lab);
  const { page } = fixture;
  await page.addInitScript(() => {
    const badges: number[] = [];
    Object.assign(globalThis, { badges });
    Object.assign(navigator, {
      setAppBadge: async (count: number) => void badges.push(count),
      clearAppBadge: async () => void badges.push(0),
    });
  });
  await page.reload();
  const badges = () => page.evaluate(() => Reflect.get(globalThis, "badges") as number[]);
  await page.locator(".option-cursor").first().waitFor();
  expect((await badges()).at(-1)).toBe(3);
  await openPage(page, "Answering");
  await page.getByRole("switch", { name: "Show highlighted answer" }).tap();
  await back(page);
  await page.getByRole("button", { name: /^Phone and alerts/ }).tap();
  await page.getByRole("switch", { name: "Badge on the app icon" }).tap();
  expect((await badges()).at(-1)).toBe(0);
  // Sound sounds once when it is switched on.
  await page.evaluate(() => {
    const calls: string[] = [];
    Object.assign(globalThis, { calls });
    OscillatorNode.prototype.stop = () => undefined;
    for (const [type, name] of [
      [AudioContext, "resume"],
      [OscillatorNode, "start"],
    ] as const)
      Object.assign(type.prototype, { [name]: () => void calls.push(name) });
  });
  await page.getByRole("switch", { name: "Sound" }).tap();
  const calls = () => page.evaluate(() => Reflect.get(globalThis, "calls") as string[]);
  await becomes(calls, ["resume", "start"]);
  await page.goBack();
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.locator(".option-cursor, .at-cursor").count()).toBe(0);
  expect(await page.getByRole("option", { name: /highlighted/ }).count()).toBe(0);
});

test("each setting of everyone is saved alone, and a refused one says so and is taken back", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  server.hook = ({ method, body }) =>
    method === "PATCH" && "include_shells" in body
      ? Response.json({ detail: "settings cannot be written" }, { status: 500 })
      : undefined;
  await openPage(page, "Server");
  const shells = page.getByRole("switch", { name: "Show idle shells" });
  await shells.tap();
  await page.getByText("Not saved: settings cannot be written").waitFor();
  await becomes(() => shells.getAttribute("aria-checked"), "true");
  const lines = page.getByRole("textbox", { name: "Captured lines" });
  await lines.fill("400");
  await lines.press("Enter");
  const patches = () =>
    server.requests.filter(({ method }) => method === "PATCH").map(({ body }) => body);
  await becomes(patches, [{ include_shells: false }, { capture_lines: 400 }]);
  await page.getByText("Saving").waitFor({ state: "detached" });
});

it("why a pane is what it is said to be: rule, line, age, region and what was ruled out", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  server.hook = ({ path }) =>
    path === "/api/explain" ? Response.json({ detail: "no pane" }, { status: 404 }) : undefined;
  await page.goto(`${server.url}#/pane/%2512`);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Why this status?" }).tap();
  const sheet = page.getByRole("dialog", { name: "Why this status?" });
  await sheet.getByText("The server could not say: no pane").waitFor();
  server.hook = () => undefined;
  await sheet.getByRole("button", { name: "Retry" }).tap();
  await sheet.getByText("by agent_a.permission.footer").waitFor();
  await sheet.getByText("It has been there for 14 min.").waitFor();
  await sheet.getByText("lines 44 to 47").waitFor();
  await sheet.getByText("outside the live region").waitFor();
  expect(await sheet.locator(".line.marked").innerText()).toContain("3. No, and tell Claude");
  expect(server.requests.filter(({ path }) => path === "/api/explain").at(-1)?.body).toEqual({
    id: "%12",
  });
});

it("over the real service: a change in one browser shows in the other, refusals where they belong", async () => {
  const { url } = await lab.service({ tmux: await lab.tmux() });
  const [one, two] = [(await lab.page(PHONE)).page, (await lab.page(PHONE)).page];
  for (const page of [one, two]) {
    await page.goto(url);
    await openPage(page, "Server");
  }
  const poll = (page: Page) => page.getByRole("textbox", { name: "Poll interval" });
  const set = async (value: string) => {
    await poll(one).fill(value);
    await poll(one).press("Enter");
  };
  await set("0.4");
  await becomes(() => poll(two).inputValue(), "0.4");
  // Clamped by the server: what it keeps is shown.
  await set("99");
  await becomes(() => poll(one).inputValue(), "10");
  await set("often");
  await one.getByText("Not saved: poll_interval must be a number").waitFor();
  expect(await poll(one).inputValue()).toBe("often");
});
