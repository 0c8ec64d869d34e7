import type { Locator, Page } from "playwright-core";
import { becomes } from "./becomes.ts";
import { PHONE } from "./browser.ts";
import { calm } from "./calm.ts";
import { fixturePanes } from "./fixture-panes.ts";
import type { FixtureServer } from "./fixture-server.ts";
import type { PageLab } from "./page-lab.ts";
import { PageTime, patient } from "./page-time.ts";
import { until } from "./until.ts";

/** A phone that shows the queue of the fixture panes, with what tests of answers find and press. */
export class AnswerPage {
  readonly server: FixtureServer;
  readonly page: Page;
  /** How many sockets the page has opened. */
  sockets = 0;
  readonly #time: PageTime | null;

  private constructor(server: FixtureServer, page: Page, time: PageTime | null) {
    this.server = server;
    this.page = page;
    this.#time = time;
    page.on("websocket", () => this.sockets++);
  }

  /** @param prepare runs before the page is asked for */
  static async open(
    lab: PageLab,
    preferences: Readonly<Record<string, unknown>> = {},
    prepare: (server: FixtureServer) => void = () => {},
  ): Promise<AnswerPage> {
    const server = lab.server();
    prepare(server);
    const { page } = await lab.page(PHONE);
    return AnswerPage.#open(new AnswerPage(server, page, null), preferences);
  }

  /** The same with a page whose time can be stopped. */
  static async openTimed(
    lab: PageLab,
    preferences: Readonly<Record<string, unknown>> = {},
    prepare: (server: FixtureServer) => void = () => {},
  ): Promise<{ it: AnswerPage; time: PageTime }> {
    const server = lab.server();
    patient(server);
    prepare(server);
    const { page } = await lab.page(PHONE, { isTimed: true });
    const time = await PageTime.of(page);
    return { it: await AnswerPage.#open(new AnswerPage(server, page, time), preferences), time };
  }

  static async #open(it: AnswerPage, preferences: object): Promise<AnswerPage> {
    await it.page.addInitScript((stored) => {
      localStorage.setItem("panewatch.preferences", stored);
    }, JSON.stringify(preferences));
    await it.page.goto(it.server.url);
    await it.#live();
    await it.settle();
    return it;
  }

  /**
   * Starts the same page over, with a fleet whose prompts are all new: no request, refusal or draft
   * from before counts any more.
   *
   * @param prepare changes the fleet before it is published
   */
  async again(
    preferences: Readonly<Record<string, unknown>> = {},
    prepare: (server: FixtureServer) => void = () => {},
  ): Promise<void> {
    const { server, page } = this;
    await page.unrouteAll();
    await this.#time?.goOn();
    await page.setViewportSize(PHONE);
    server.hook = () => undefined;
    server.isSilent = false;
    server.requests.length = 0;
    server.sent.length = 0;
    server.edition += 1;
    server.panes = [];
    server.pass();
    const isSignedOut = await page.getByRole("textbox", { name: "Token" }).isVisible();
    if (server.token !== "" || isSignedOut) {
      server.token = "";
      await page.evaluate(() => localStorage.removeItem("panewatch.token"));
      await page.reload();
    }
    // It has heard that there is no pane: the queue that it opens shows none of before.
    await becomes(() => page.title(), "panewatch");
    await page.evaluate(startAnew, JSON.stringify(preferences));
    await this.#live();
    // An answered card stays for some seconds, which pass at once where the page's time is a test's.
    const cards = page.locator("article");
    if (this.#time !== null)
      await until(async () => (await cards.count()) === 0 || (await page.clock.runFor(500)));
    await cards.first().waitFor({ state: "detached" });
    server.panes = fixturePanes();
    prepare(server);
    server.pass();
    await page.locator("article").first().waitFor();
    await page.locator("main.scroll").evaluate((list) => list.scrollTo(0, 0));
    await this.settle();
  }

  #live(): Promise<void> {
    return this.page.locator(".connection", { hasText: /Live|Every/ }).waitFor();
  }

  card = (id: string): Locator => this.page.locator(`article[data-pane="${id}"]`);
  answer = (id: string, key: string): Locator => this.card(id).locator(`[data-key="${key}"]`);
  /** The card says that its answer has left, or has been taken. */
  isAnswered = (id: string): Promise<void> =>
    this.card(id)
      .getByText(/, (sent|confirmed)/)
      .waitFor();
  get composer(): Locator {
    return this.page.locator("[data-composer]");
  }
  /** The composer's button. */
  get send(): Locator {
    return this.page.getByRole("button", { name: "Send", exact: true });
  }
  key = (name: string): Locator => this.page.locator(`[data-key="${name}"].key`);
  sent = (): unknown[] =>
    this.server.actions.map(({ path, body }) => [path, body["key"] ?? body["text"]]);

  /** Waits until the shield lets a press through. */
  settle(): Promise<void> {
    return calm(this.page);
  }

  async openPane(id: string): Promise<void> {
    await this.page.goto(`${this.server.url}#/pane/${encodeURIComponent(id)}`);
    await this.page.locator("[data-composer]").waitFor();
    await this.settle();
  }

  /** Brings the mouse down on the middle of an element. */
  async pressOn(target: Locator): Promise<void> {
    await target.scrollIntoViewIfNeeded();
    const box = await target.boundingBox();
    if (box === null) throw new Error("nothing to press");
    await this.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await this.page.mouse.down();
  }
}

/** Runs in the page: as when another tab of the browser had set the preferences and sent every draft. */
export function startAnew(preferences: string): void {
  localStorage.setItem("panewatch.preferences", preferences);
  const drafts = Object.keys(localStorage).filter((key) => key.startsWith("panewatch.draft."));
  for (const key of drafts) localStorage.removeItem(key);
  for (const key of ["panewatch.preferences", ...drafts])
    dispatchEvent(new StorageEvent("storage", { key, newValue: localStorage.getItem(key) }));
  location.hash = "#/queue";
}
