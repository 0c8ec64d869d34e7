import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { violations } from "../support/axe.ts";
import { becomes } from "../support/becomes.ts";
import { taps } from "../support/calm.ts";
import { openFixture } from "../support/fixture-page.ts";
import { NOW } from "../support/fixture-panes.ts";
import { away, onThreeMachines } from "../support/fixture-hosts.ts";
import { enablePush, OWN_DEVICE, pushDevices } from "../support/fixture-push.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { usageReply } from "../support/fixture-usage.ts";
import { send } from "../support/live-workspace.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { rare as it } from "../support/thorough.ts";
import { beDevice } from "./terminal-scenes.ts";

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

test("preferences of the browser survive a reload and are not sent to the server", async () => {
  const { page, server } = await openFixture(lab);
  await openPage(page, "Look");
  await page.getByRole("radio", { name: "Dark" }).tap();
  await page.getByRole("combobox", { name: "Open at" }).selectOption("all");
  await back(page);
  await page.getByText("Dark · starts with All").waitFor();
  await page.getByRole("button", { name: /^Answering/ }).tap();
  await page.getByRole("combobox", { name: "Answer with" }).selectOption("confirm");
  await page.getByRole("button", { name: /^Snippets/ }).tap();
  const snippets = page.getByRole("textbox", { name: "Snippets" });
  // The text has the direction of its words.
  await snippets.fill("تابع");
  expect(await snippets.evaluate((field) => getComputedStyle(field).direction)).toBe("rtl");
  await snippets.fill("continue\n run the tests \n\nexplain the diff\nundo that\ncontinue ");
  await snippets.blur();
  await becomes(
    () => snippets.inputValue(),
    "continue\nrun the tests\nexplain the diff\nundo that",
  );
  await back(page);
  await page.getByRole("button", { name: /^Snippets\s*4/ }).waitFor();
  // The installed app starts at the chosen list.
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
  await becomes(bar, ["dark"]);
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

it("the text size changes the page and not the terminal; the highlighted answer and the badge of the icon can be switched off", async () => {
  const { page, server } = await openFixture(lab);
  const sizeOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).fontSize);
  await openPage(page, "Look");
  const before = await sizeOf(".item");
  await page.getByRole("combobox", { name: "Text size" }).selectOption({ label: "Very large" });
  await becomes(() => sizeOf("html"), "20.8px");
  expect([before, await sizeOf(".item")]).toEqual(["15px", "19.5px"]);
  await page.goto(`${server.url}#/pane/%2514`);
  expect(await sizeOf("[data-terminal] pre")).toBe("12px");
  await page.goto(`${server.url}#/queue`);
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
  await becomes(async () => (await badges()).at(-1), 3);
  await openPage(page, "Answering");
  await page.getByRole("switch", { name: "Show highlighted answer" }).tap();
  await back(page);
  await page.getByRole("button", { name: /^Phone and alerts/ }).tap();
  await page.getByRole("switch", { name: "Badge on the app icon" }).tap();
  await becomes(async () => (await badges()).at(-1), 0);
  await page.goBack();
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await page.locator(".option-cursor, .at-cursor").count()).toBe(0);
  expect(await page.getByRole("option", { name: /highlighted/ }).count()).toBe(0);
});

test("a shared setting is saved alone; a refused one is reverted and says why, a refused list stays to be corrected", async () => {
  const { page, server } = await openFixture(lab);
  server.refuse("PATCH /api/config", "settings cannot be written", 500);
  await openPage(page, "Server");
  const shells = page.getByRole("switch", { name: "Show idle shells" });
  await shells.tap();
  await page.getByText("Not saved: settings cannot be written").waitFor();
  await becomes(() => shells.getAttribute("aria-checked"), "true");
  server.takes();
  const lines = page.getByRole("textbox", { name: "Captured lines" });
  await lines.fill("400");
  await lines.press("Enter");
  const patches = () => server.asked("", "PATCH").map(({ body }) => body);
  await becomes(patches, [{ include_shells: false }, { capture_lines: 400 }]);
  await page.getByText("Saving").waitFor({ state: "detached" });
  // Nothing is wrong any more once the value in force is written there again.
  server.refuse("PATCH /api/config", "too many");
  await lines.fill("4000");
  await lines.press("Enter");
  await page.getByText("Not saved: too many").waitFor();
  server.takes();
  await lines.fill("400");
  await lines.press("Enter");
  await page.getByText("Not saved: too many").waitFor({ state: "detached" });
  await becomes(() => patches().slice(2), [{ capture_lines: 4000 }, { capture_lines: 400 }]);
  await page.getByText("Saving").waitFor({ state: "detached" });
  expect(await lines.getAttribute("aria-invalid")).toBe("false");

  const held = Promise.withResolvers<void>();
  await page.route("**/api/config", async (route) => {
    if (route.request().method() === "PATCH") await held.promise;
    await route.fallback();
  });
  const before = patches().length;
  const list = page.getByRole("textbox", { name: "Error patterns" });
  await list.fill("panic:\n^E[0-9]+\n");
  await list.blur();
  await page.getByText("Saving").waitFor();
  expect(await list.isEditable()).toBe(false);
  held.resolve();
  await becomes(() => list.inputValue(), "panic:\n^E[0-9]+");
  await becomes(() => list.isEditable(), true);
  await list.fill("panic:\n(");
  await list.blur();
  await becomes(
    () => patches().slice(before),
    [{ error_patterns: ["panic:", "^E[0-9]+"] }, { error_patterns: ["panic:", "("] }],
  );
  await becomes(() => list.getAttribute("aria-invalid"), "true");
  await page.getByRole("alert").getByText("Not saved").last().waitFor();
  expect(await list.inputValue()).toBe("panic:\n(");
});

test("concurrent changes of a list are merged, also while it is edited", async () => {
  const { page, server } = await openFixture(lab);
  const patched = () => server.asked("", "PATCH").map(({ body }) => body["error_patterns"]);
  const { error_patterns: before } = server.config;
  const [first = "", ...rest] = before;
  await openPage(page, "Server");
  const list = page.getByRole("textbox", { name: "Error patterns" });
  await list.fill(["mine", ...rest].join("\n"));
  // The page has taken a configuration once it shows this of it.
  const shells = page.getByRole("switch", { name: "Show idle shells" });
  const showsShells = (is: boolean) =>
    becomes(() => shells.getAttribute("aria-checked"), String(is));
  const theirs = { error_patterns: [...before, "theirs"], include_shells: false };
  await send(server.url, "PATCH", "api/config", theirs);
  await showsShells(false);
  expect(await list.inputValue()).toBe(["mine", ...rest].join("\n"));
  await list.blur();
  await becomes(() => patched().at(-1), ["mine", ...rest, "theirs"]);
  await becomes(() => list.inputValue(), ["mine", ...rest, "theirs"].join("\n"));
  expect(server.config.error_patterns).not.toContain(first);
  // A text that was restored is no edit.
  await list.fill("x");
  await list.fill(["mine", ...rest, "theirs"].join("\n"));
  await list.blur();
  server.config = { ...server.config, error_patterns: ["theirs"] };
  server.switchWorkspace(false);
  await becomes(() => list.inputValue(), "theirs");
  // An entry that both have added can be removed again.
  await list.fill("theirs\nboth");
  server.config = {
    ...server.config,
    ...{ error_patterns: ["theirs", "both"], include_shells: true },
  };
  server.switchWorkspace(false);
  await showsShells(true);
  await list.blur();
  await list.fill("theirs");
  await list.blur();
  await becomes(() => server.config.error_patterns, ["theirs"]);
});

it("a test alert is late 30 s after its reply, however long the page was open before", async () => {
  const { page, server } = await openFixture(lab, { prepare: enablePush });
  patient(server);
  const time = await PageTime.of(page);
  const handedOver = { ok: true, at: NOW, detail: "", tag: "test" };
  server.replies[`/api/push/devices/${OWN_DEVICE}/test`] = () => handedOver;
  await beDevice(page);
  await openPage(page, "Phone and alerts");
  const send = page.getByRole("button", { name: "Send a test" });
  await send.waitFor();
  await time.stop();
  await time.pass(31_000);
  const told = await page.evaluateHandle(() => {
    const told: string[] = [];
    const place = document.querySelector(".device-card [role=status]");
    if (place === null) throw new Error("no place");
    const hear = () => told.push(place.textContent);
    new MutationObserver(hear).observe(place, { childList: true, subtree: true });
    return told;
  });
  await send.tap();
  await time.shows(page.getByText("Waiting until this device shows it"));
  expect((await told.jsonValue()).join()).not.toContain("Not shown");
  await time.pass(31_000);
  await page.getByText("Not shown within 30 s").waitFor();
});

it("what an alert, a machine or a pane did days ago is told with its day", async () => {
  const { page, server } = await openFixture(lab, {
    prepare(server) {
      server.now = NOW;
      const at = NOW - 3 * 86_400;
      const devices = pushDevices();
      for (const device of devices.devices) {
        if (device.last !== null) device.last.at = at;
        if (device.gone !== null) device.gone = at;
      }
      enablePush(server, devices);
      onThreeMachines(server, away({ since: at }));
      server.change("%17", { status_since: at, updated: at });
    },
  });
  await page.getByText(/^buildbox is away since 11 March, \d\d:\d\d$/).waitFor();
  await openPage(page, "Phone and alerts");
  await page
    .getByText(/^Accepted 11 March, \d\d:\d\d$/)
    .first()
    .waitFor();
  await page.getByText(/^Gone since 11 March, \d\d:\d\d, it will not be tried again$/).waitFor();
  await back(page);
  await page.getByRole("button", { name: /^Server/ }).tap();
  await page.getByRole("button", { name: /^Machines/ }).tap();
  await page.getByText(/^Away since 11 March, \d\d:\d\d\. /).waitFor();
  await page.goto(`${server.url}#/all`);
  await page.locator('[data-row="%17"] .row-time', { hasText: "3 days" }).waitFor();
  await page.goto(`${server.url}#/pane/%2517`);
  await taps(page, "More", /details$/);
  await page.getByText(/^Idle, since 11 March, \d\d:\d\d$/).waitFor();
});

it("Why this status? shows rule, line, age, region and the rules that did not match", async () => {
  const { page, server } = await openFixture(lab);
  server.refuse("/api/explain", "no pane", 404);
  await page.goto(`${server.url}#/pane/%2512`);
  await taps(page, "More", "Why this status?");
  const sheet = page.getByRole("dialog", { name: "Why this status?" });
  await sheet.getByText("The server could not say: no pane").waitFor();
  server.takes();
  await sheet.getByRole("button", { name: "Retry" }).tap();
  await sheet.getByText("by agent_a.permission.footer").waitFor();
  await sheet.getByText("It has been there for 14 min.").waitFor();
  await sheet.getByText("lines 44 to 47").waitFor();
  await sheet.getByText("outside the live region").waitFor();
  expect(await sheet.locator(".line.marked").innerText()).toContain("3. No, and tell Claude");
  expect(server.asked("/api/explain").at(-1)?.body).toEqual({
    id: "%12",
  });
});

describe("the page of figures", () => {
  let server: FixtureServer;
  let page: Page;

  beforeEach(async () => {
    server = lab.server();
    server.now = NOW;
    server.config = { ...server.config, usage_enabled: true };
    ({ page } = await openFixture(lab, { server }));
  });

  const open = () => page.getByRole("link", { name: "Stats" }).tap();
  const panel = (name: string) => page.getByRole("region", { name });

  test("counts the fleet, draws and describes quotas and days, and disconnects a browser after a confirmation", async () => {
    server.config = { ...server.config, usage_alert_threshold: 16 };
    await open();
    const counts = "14 panes, 6 sessions Waiting 3 Error 1 Working 5 Idle 3 Offline 1 Stale 1";
    const isCounted = async () =>
      (await panel("Fleet").innerText()).replace(/\s+/g, " ").includes(counts);
    await becomes(isCounted, true);
    // A quota shows what is used, warns at the threshold and marks the elapsed time.
    const week = panel("Usage").getByRole("listitem").filter({ hasText: "Claude, Week" });
    await week.getByText("16% left").waitFor();
    await week.getByText("ahead of pace").waitFor();
    const meter = week.getByRole("meter", { name: "Claude, Week" });
    expect(await meter.getAttribute("aria-valuenow")).toBe("84");
    expect(await meter.getAttribute("aria-valuetext")).toBe("84% used, 61% of the time passed");
    expect(await week.getByText("Little is left").count()).toBe(1);
    const session = panel("Usage").getByRole("listitem").filter({ hasText: "Claude, 5 hours" });
    expect(await session.getByText("Little is left").count()).toBe(0);
    // The label names no window: no tick, no pace.
    const other = panel("Usage").getByRole("meter", { name: "Gemini, Requests" });
    expect(await other.getAttribute("aria-valuetext")).toBe("40% used");
    const history = panel("History");
    await history.getByRole("img", { name: "Days: 26 bars, the highest $14.00" }).waitFor();
    await history.getByRole("radio", { name: "Hours" }).tap();
    await history.getByRole("img", { name: /^Hours: 3 bars/ }).waitFor();
    await history.getByText("As a table").tap();
    const rows = async () =>
      (await history.getByRole("row").allInnerTexts()).map((row) =>
        row.replace(/\s+/g, " ").trim(),
      );
    await becomes(rows, [
      "Time Cost Tokens Messages",
      "07:00 $2.00 620K 18",
      "08:00 $3.50 1.1M 32",
      "09:00 $5.00 1.6M 45",
    ]);

    const browsers = panel("Connected browsers").getByRole("listitem");
    const own = browsers.filter({ hasText: "This browser" });
    await own.waitFor();
    expect(await own.getByRole("button").count()).toBe(0);
    await page.getByRole("button", { name: "Disconnect Firefox on Linux" }).tap();
    expect(server.requests.some(({ path }) => path === "/api/sessions/kill")).toBe(false);
    await page.getByRole("button", { name: "Disconnect now" }).tap();
    await page.getByText("Firefox on Linux").waitFor({ state: "detached" });
    const kills = server.asked("/api/sessions/kill");
    expect(kills.map(({ body }) => body["id"])).toEqual([expect.any(String)]);
  });

  it("loses one panel alone, and Retry brings it back; usage is absent when it is off, and says why when the collector is missing", async () => {
    server.refuse("/api/usage", "internal error", 500);
    await open();
    await panel("Usage").getByText("This could not be loaded: internal error").waitFor();
    await panel("Server").getByText("ready").waitFor();
    server.takes();
    // The last good value is hatched and has its time.
    server.replies["/api/usage"] = () => usageReply({ stale: true, fetched_at: NOW - 5400 });
    await panel("Usage").getByRole("button", { name: "Retry" }).tap();
    await panel("Usage").getByText("last good value 08:11").first().waitFor();
    await becomes(() => panel("Usage").getByRole("alert").count(), 0);
    const bar = panel("Usage").getByRole("meter").first();
    const fill = await bar.evaluate((one) => getComputedStyle(one, "::before").backgroundImage);
    expect(fill).toStartWith("repeating-linear-gradient");
    // Where there is a value, a failed repeat says why as well.
    server.refuse("/api/usage", "internal error", 500);
    await page.getByRole("link", { name: "Queue" }).tap();
    await open();
    await panel("Usage").getByText("This may be old: internal error").waitFor();
    await panel("Usage").getByText("last good value 08:11").first().waitFor();
    server.takes();
    server.replies["/api/usage"] = () =>
      usageReply({ available: false, reason: "not_installed", quotas: [], today: null });
    await page.reload();
    await panel("Usage").getByText("The usage collector is not installed on the server.").waitFor();
    server.config = { ...server.config, usage_enabled: false };
    await panel("Usage").waitFor({ state: "detached" });
    // On a low, wide screen the other panels can be scrolled by keys.
    await page.setViewportSize({ width: 844, height: 390 });
    await panel("Server").waitFor();
    expect(await violations(page, ["scrollable-region-focusable"])).toEqual([]);
  });
});
