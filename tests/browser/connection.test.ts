import { beforeEach, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { changedFolder } from "../support/fixture-changes.ts";
import { fixturePanes, NOW, option } from "../support/fixture-panes.ts";
import { withRecord } from "../support/fixture-record.ts";
import { KeptMessages } from "../support/fixture-waiting.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime, patient } from "../support/page-time.ts";
import { pane } from "../support/pane.ts";
import { Relay } from "../support/relay.ts";
import { rare as it, sampled } from "../support/thorough.ts";
import { until } from "../support/until.ts";
import { paneHash, SIZES } from "./scene.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;
let time: PageTime;

beforeEach(() => {
  // The page's clock runs faster, and so do the server's passes.
  server = lab.server(fixturePanes(), 100);
  server.now = NOW;
});

const chip = (word: string) => page.locator(".connection", { hasText: word });
const options = () => page.locator('[role="option"][aria-disabled="false"]');

async function open(path = ""): Promise<void> {
  page = await lab.open(server.url + path);
}

/** Opens the page, waits for Live, and stops its clock. */
async function openStopped(): Promise<void> {
  ({ page } = await lab.page(PHONE, { isTimed: true }));
  time = await PageTime.of(page, NOW * 1000);
  await page.goto(server.url);
  await page.locator("article").first().waitFor();
  await chip("Live").waitFor();
  // The later part begins with requests of its own.
  await page.locator("[data-loading]").first().waitFor({ state: "detached" });
  await time.stop();
}

const STEP_MS = 500;
/** In steps that leave the network time to answer. */
const pass = (seconds: number): Promise<void> => time.pass(seconds * 1000, STEP_MS);
const shows = (locator: Locator): Promise<void> => time.shows(locator, STEP_MS);

test("a token in the address is stored and removed from it; a wrong token is refused", async () => {
  server.token = "s3cret+/=";
  const query = `?keep=%20me&token=${encodeURIComponent(server.token)}`;
  await open(`${query}#/all`);
  await chip("Live").waitFor();
  expect(page.url()).toBe(`${server.url}?keep=%20me#/all`);
  expect(await page.evaluate(() => localStorage.getItem("panewatch.token"))).toBe("s3cret+/=");
  server.token = "right";
  await page.reload();
  const field = page.getByRole("textbox", { name: "Token" });
  await field.fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).tap();
  await page.getByText("The server did not accept this.").waitFor();
  await field.fill("right");
  await page.getByRole("button", { name: "Sign in" }).tap();
  await chip("Live").waitFor();
});

test("without a socket REST polls every two seconds, and answers stay enabled", async () => {
  await openStopped();
  server.hasSockets = false;
  server.closeSockets();
  await shows(chip("Every 2 s"));
  server.change("%12", { question: "By REST?" });
  await pass(3);
  await shows(page.getByText("By REST?"));
  expect(await options().count()).toBeGreaterThan(0);
  server.hasSockets = true;
  await shows(chip("Live"));
});

test("a lost server is Offline after ten seconds: old data, answers disabled, and it reconnects by itself", async () => {
  await openStopped();
  server.isUnreachable = true;
  server.closeSockets();
  await shows(chip("Connecting"));
  await pass(5);
  expect(await chip("Connecting").count()).toBe(1);
  expect(await options().count()).toBe(0);
  await pass(5);
  await shows(chip("Offline"));
  await shows(page.getByText("No connection to the server"));
  await page.getByText("at 09:27").waitFor();
  // The countdown to the next try is not read out.
  await becomes(
    () => page.locator(".banner").getByRole("status").allInnerTexts(),
    ["No connection to the server"],
  );
  expect(await options().count()).toBe(0);
  expect(await page.locator("article").count()).toBe(4);
  await page.getByRole("link", { name: "All" }).tap();
  await shows(page.locator('[data-row="%12"]').getByText("at 09:27", { exact: true }));
  await shows(page.locator('[data-row="%14"]').getByText("at 09:37", { exact: true }));
  await page.getByRole("link", { name: "Queue" }).tap();
  await shows(page.getByText(/known at \d\d:\d\d\. /));
  await page.clock.fastForward(86_400_000);
  await shows(page.getByText(/known yesterday at \d\d:\d\d\. /));

  server.isUnreachable = false;
  // It tries again after 8 s and a half at most.
  await pass(9);
  await shows(chip("Live"));
  await shows(options());
});

test("what could not be read while the server was away is read once it is back", async () => {
  changedFolder(server);
  await openStopped();
  server.isUnreachable = true;
  server.closeSockets();
  await page.evaluate((hash) => (location.hash = hash), `${paneHash("%16")}/changes`);
  await shows(page.getByText(/^The changes could not be read/));
  await pass(1);
  server.isUnreachable = false;
  await pass(9);
  await shows(page.getByRole("button", { name: /session\.ts/ }));
});

test("while a look at the configuration hangs no other one is begun", async () => {
  patient(server);
  server.panes = server.panes.map((pane) => ({ ...pane, actionable: false }));
  await openStopped();
  let looks = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/config")) looks++;
  });
  const held = server.hold("/api/config");
  // The look before it may still be under way.
  await until(async () => looks > 0 || (await page.clock.runFor(500)));
  await page.clock.runFor(9000);
  expect(looks).toBe(1);
  held.reply({}, 502);
  await pass(3);
  expect(looks).toBeGreaterThan(1);
});

test("a banner comes and goes only while no finger is down", async () => {
  await openStopped();
  const answer = options().first();
  const before = await answer.boundingBox();
  await page.mouse.move((before?.x ?? 0) + 40, (before?.y ?? 0) + 20);
  await page.mouse.down();
  server.isUnreachable = true;
  server.closeSockets();
  await shows(chip("Connecting"));
  await pass(10);
  await shows(chip("Offline"));
  await pass(4);
  expect(await page.locator(".banner").count()).toBe(0);
  const held = page.locator('[role="option"]').first();
  expect((await held.boundingBox())?.y).toBe(before?.y);
  await page.mouse.up();
  expect(await page.locator(".banner").count()).toBe(0);
  await shows(page.getByText("No connection to the server"));
  expect((await held.boundingBox())?.y).not.toBe(before?.y);

  // It goes in the same way.
  await page.mouse.down();
  server.isUnreachable = false;
  await shows(chip("Live"));
  await page.getByText("No connection to the server").waitFor();
  await page.mouse.up();
  await pass(3);
  await page.locator(".banner").waitFor({ state: "detached" });
  expect(server.actions).toEqual([]);
});

test("a late sign-out of another tab does not end a newer sign-in", async () => {
  await open();
  await chip("Live").waitFor();
  // The tab was frozen, and another token was stored meanwhile.
  await page.evaluate(() => {
    const key = "panewatch.token";
    localStorage.setItem(key, "the next one");
    window.dispatchEvent(new StorageEvent("storage", { key, newValue: null }));
  });
  await calm(page);
  await chip("Live").waitFor();
  expect(await page.evaluate(() => localStorage.getItem("panewatch.token"))).toBe("the next one");
  expect(server.asked("/api/grants/self")).toEqual([]);
});

test("a page disconnected from another browser says so wherever it is, and reconnects only by its button", async () => {
  await openStopped();
  server.closeSockets(4001);
  await shows(page.getByText("Disconnected from another browser"));
  // Requests under way are answered.
  await pass(0.02);
  const before = server.requests.length;
  await page.evaluate(() => {
    window.dispatchEvent(new Event("online"));
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await pass(20);
  expect(server.requests.length).toBe(before);

  await time.goOn();
  const reconnect = (place: string) =>
    page
      .locator(place)
      .getByRole("alert")
      .filter({ hasText: "Disconnected from another browser" })
      .getByRole("button", { name: "Reconnect" });
  const pane = paneHash("%12");
  for (const [size, hash, place] of [
    ["phone", "#/queue/one", ".pass"],
    ["phone", "#/record", "main[aria-label=Record]"],
    ["phone", "#/phone", ".phone-page"],
    ["phone", `${pane}/changes`, "main.pane"],
    ["landscape", pane, ".master"],
    ["desktop", pane, ".navigator"],
  ] as const) {
    await page.setViewportSize(SIZES[size]);
    await page.evaluate((to) => (location.hash = to), hash);
    await reconnect(place).click({ trial: true });
  }
  // With the list closed.
  await page.keyboard.press("[");
  await reconnect(".detail").click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await becomes(() => server.sockets, 1);
});

it("a server without version metadata works; a pane with an unknown status is read only", async () => {
  const info = server.config._info as Partial<typeof server.config._info>;
  delete info.version;
  delete info.compatibility;
  const unknown = { status: "dreaming", kind: "agent_z", agent: null, mood: "blue" };
  server.panes = [{ ...server.panes[0], ...unknown }] as unknown as typeof server.panes;
  await open("#/pane/%2512");
  await page.getByText("Status “dreaming” is unknown to this version. Read only.").waitFor();
  await becomes(() => page.getByRole("button", { name: "Down" }).isDisabled(), true);
  await page.goto(`${server.url}#/all`);
  const row = page.locator('[data-row="%12"]');
  await row.locator(".status-unknown").waitFor();
});

test("a pane with an unknown provider or input capability is shown and cannot be answered", async () => {
  const asking = server.find("%12");
  const capabilities = { ...asking.capabilities, input: "telepathy" };
  server.panes = [
    { ...asking, capabilities },
    { ...asking, id: "%13", target: "api:13.1", provider: "zellij" },
  ] as unknown as typeof server.panes;
  await open();
  await page.locator("article").nth(1).waitFor();
  await becomes(() => page.getByText("Answer this one in the terminal.").count(), 2);
  expect(await page.locator('[role="option"]').count()).toBeGreaterThan(2);
  expect(await options().count()).toBe(0);
  await calm(page);
  for (const option of await page.locator('[role="option"]').all())
    await option.dispatchEvent("click");
  await calm(page);
  expect(server.actions).toEqual([]);
});

it("malformed state shows the page for incompatible versions", async () => {
  server.hasSockets = false;
  server.hook = ({ path }) =>
    path === "/api/state" ? Response.json({ type: "state", panes: [{ id: 5 }] }) : undefined;
  await open();
  await page.getByText("This page and the server do not fit").waitFor();
});

const mayRead = (of: FixtureServer) => {
  of.replies["/api/config"] = () => ({
    ...of.config,
    _info: { ...of.config._info, access: "read" },
  });
};
const mayLook = (of: FixtureServer) => withRecord(of, "wall");

const LOOKERS = [
  ["a token for reading", mayRead],
  ["a device that may look", mayLook],
] as const;

test.each(sampled(LOOKERS, 2))(
  "with %s the page says it is read only, and offers no action",
  async (_, prepare) => {
    server.switchWorkspace(true);
    new KeptMessages(server).keep("%14", ["Run the tests.", "And then the docs."]);
    prepare(server);
    await open();
    await page.getByRole("region", { name: "You can look, not act" }).waitFor();
    await page.getByText("Yes, allow all edits during this session").first().waitFor();
    expect(await page.getByRole("option").count()).toBe(0);
    expect(await page.getByText("Go through").count()).toBe(0);
    await page.getByText("529 overloaded_error").first().waitFor();
    await page.getByRole("button", { name: "Put away" }).waitFor();
    expect(await page.getByRole("button", { name: /Reviewed|reviewed|^Reply/ }).count()).toBe(0);
    expect(await page.getByText("Collect answers").count()).toBe(0);
    await page.getByRole("link", { name: "All" }).tap();
    await page.getByRole("searchbox").waitFor();
    expect(await page.getByRole("button", { name: /^(New|Broadcast)$/ }).count()).toBe(0);
    await page.goto(`${server.url}#/pane/%2514`);
    await page.getByRole("region", { name: "You can look, not act" }).waitFor();
    await page.getByText("And then the docs.").waitFor();
    expect(await page.locator("[data-composer]").count()).toBe(0);
    expect(await page.getByRole("toolbar").count()).toBe(0);
    expect(await page.getByRole("button", { name: /^(Stop|Move up|Edit)/ }).count()).toBe(0);
    await page.getByRole("button", { name: "More", exact: true }).tap();
    await page.getByRole("button", { name: "Pane details" }).waitFor();
    expect(await page.getByRole("button", { name: "Rename" }).count()).toBe(0);
    expect(server.requests.filter(({ method }) => method === "POST")).toEqual([]);
  },
);

test("offline a chat names the day of its last update, and an agent can still be marked as reviewed", async () => {
  server.switchWorkspace(true);
  server.now = NOW + 2 * 24 * 3600;
  await openStopped();
  await page.evaluate(() => (location.hash = "#/pane/%2514/chat"));
  await shows(page.getByText("The index alone brings most of it").first());
  server.hasSockets = false;
  // The state comes neither by socket nor by REST, and all else is answered.
  server.lose("/api/state");
  server.closeSockets();
  await pass(20);
  await shows(page.getByText("Not updated since 14 March, 09:39"));
  await page.evaluate(() => (location.hash = "#/queue"));
  await shows(chip("Offline"));
  await pass(1);
  await page.getByRole("button", { name: "Reviewed" }).first().click();
  await becomes(() => server.asked("/review", "PUT").length, 1);
});

const PREVIEW_LINES = 6;

/** Panes whose screens are dense text; every sixth waits, so its lines are in every first state. */
const fleet = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const lines = Array.from({ length: 200 }, (_, row) =>
      `${row} ${crypto.randomUUID()} ${crypto.randomUUID()}`.padEnd(96, "."),
    );
    const asks = { question: `Go on with ${i}?`, menu: [option("1", "Yes")] };
    return pane({
      id: `%${i}`,
      target: `work:${i}.0`,
      name: `agent ${i}`,
      lines,
      preview: lines.slice(-PREVIEW_LINES),
      ...(i % 6 === 0 ? { ...asks, status: "needs_input" } : {}),
    });
  });

test("60 panes over 1 Mbit/s are Live on one socket, without REST", async () => {
  const server = lab.server(fleet(60));
  // A pass of a busy machine may come late.
  patient(server);
  const relay = await Relay.to(Number(new URL(server.url).port), {
    bitsPerSecond: 1_000_000,
    delayMs: 120,
  });
  lab.closes(() => relay.stop());
  const { page } = await lab.page(PHONE);
  let sockets = 0;
  page.on("websocket", () => sockets++);
  await page.goto(relay.url);
  await page.locator(".connection", { hasText: "Live" }).waitFor();
  server.change("%0", { question: "Asked after that?" });
  await page.getByText("Asked after that?").waitFor();
  expect(sockets).toBe(1);
  expect(server.asked("/api/state")).toEqual([]);
});
