import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { BrowserLab, lightChromium, PHONE } from "../support/browser.ts";
import { FixtureOrigin } from "../support/fixture-origin.ts";
import { KeptPage } from "../support/kept-page.ts";
import { sampled } from "../support/thorough.ts";
import { TEST_MS } from "../support/until.ts";

setDefaultTimeout(TEST_MS);

const home = new FixtureOrigin();
const elsewhere = new FixtureOrigin();
let lab: BrowserLab;
let kept: KeptPage;

beforeAll(async () => {
  lab = await BrowserLab.open(lightChromium);
});
afterAll(async () => {
  await lab.close();
  await home.close();
  await elsewhere.close();
});
beforeEach(async () => {
  kept = await KeptPage.of(await lab.page(PHONE), PHONE);
  await kept.opened.page.goto(home.url);
});
afterEach(() => kept.opened.context.close());

const reset = () => kept.reset(new Set([home.url]));

/** All that a test may leave in a page, as the next one would meet it. */
function state() {
  return kept.opened.page.evaluate(async () => ({
    stored: [...Object.entries(localStorage), ...Object.entries(sessionStorage)],
    databases: (await indexedDB.databases()).map(({ name }) => name),
    cookie: document.cookie,
    script: Reflect.get(window, "left") ?? null,
    history: [history.length, history.state],
    size: [innerWidth, innerHeight],
    isDark: matchMedia("(prefers-color-scheme: dark)").matches,
    hears: (await navigator.permissions.query({ name: "notifications" })).state,
  }));
}

test("a reset page has the state of a new one, and no history of the test before", async () => {
  const { page, context } = kept.opened;
  const asNew = await state();
  let requests = 0;
  page.on("request", () => requests++);
  await page.addInitScript(() => Reflect.set(window, "left", "behind"));
  await page.route("**/nowhere", (route) => route.fulfill({ body: "of the test" }));
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "dark" });
  await context.grantPermissions(["notifications"]);
  await page.goto(`${home.url}again`);
  await page.mouse.move(50, 50);
  await page.mouse.down();
  await page.evaluate(() => {
    localStorage.setItem("a", "1");
    sessionStorage.setItem("b", "2");
    document.cookie = "c=3";
    history.pushState({ depth: 1 }, "", "#/pane");
    return new Promise((resolve) => (indexedDB.open("d").onsuccess = resolve));
  });
  const used = await state();
  for (const member of Object.keys(asNew) as (keyof typeof asNew)[])
    expect(used[member]).not.toEqual(asNew[member]);

  expect(await reset()).toBe(true);
  requests = 0;
  await page.goto(home.url);
  expect(await state()).toEqual({ ...asNew, history: [expect.any(Number), null] });
  expect(requests).toBe(0);
  const answer = () => fetch("/nowhere").then((reply) => reply.status);
  expect(await page.evaluate(answer)).toBe(404);
  await page.goBack();
  expect(page.url()).toBe(`${home.url}nothing`);
  expect(await page.goBack()).toBeNull();
});

test("a reset page whose clock is a test's runs from the time that the next test gives it", async () => {
  await kept.opened.context.close();
  kept = await KeptPage.of(await lab.page(PHONE), PHONE, true);
  const { page } = kept.opened;
  const now = () => page.evaluate(() => Date.now());
  const at = Date.UTC(2026, 2, 14);
  await page.clock.install({ time: at });
  await page.goto(home.url);
  await page.clock.pauseAt(at + 60_000);
  await page.clock.fastForward(1000);
  expect(await now()).toBe(at + 61_000);

  expect(await reset()).toBe(true);
  const next = at - 86_400_000;
  await page.clock.install({ time: next });
  await page.goto(home.url);
  const before = await now();
  expect(before).toBeWithin(next, at);
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
  expect(await now()).toBeGreaterThan(before);
});

const LASTING: readonly (readonly [string, () => Promise<unknown>])[] = [
  ["whose clock was moved", () => kept.opened.page.clock.install()],
  ["on which a key is held", () => kept.opened.page.keyboard.down("Shift")],
  ["that was elsewhere too", () => kept.opened.page.goto(elsewhere.url)],
  ["that is closed", () => kept.opened.page.close()],
];

test.each(sampled(LASTING, 2))("a page %s is not used again", async (_, use) => {
  await use();
  expect(await reset()).toBe(false);
});
