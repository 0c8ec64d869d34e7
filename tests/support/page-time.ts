import type { Locator, Page, Request } from "playwright-core";
import type { FixtureServer } from "./fixture-server.ts";
import { until } from "./until.ts";

/** Far enough ahead that the page has not passed it when it is told to stop there. */
const AHEAD_MS = 1500;
const FRAME_MS = 20;

/** A socket of this server may be silent for a minute, longer than a test lets pass. */
export function patient(server: FixtureServer): void {
  server.config = { ...server.config, poll_interval: 30 };
}

/** The time of one page: it runs as ever until it is stopped, then passes only when it is told to. */
export class PageTime {
  readonly #page: Page;
  readonly #underWay = new Set<Request>();

  private constructor(page: Page) {
    this.#page = page;
    page.on("request", (request) => this.#underWay.add(request));
    for (const end of ["requestfinished", "requestfailed"] as const)
      page.on(end as "requestfailed", (request) => this.#underWay.delete(request));
  }

  /** Before the page is opened; `at` is the time of its clock on the wall, in milliseconds. */
  static async of(page: Page, at?: number): Promise<PageTime> {
    const time = new PageTime(page);
    await page.clock.install(at === undefined ? {} : { time: at });
    return time;
  }

  async stop(): Promise<void> {
    await until(async () => {
      const now = await this.#page.evaluate(() => Date.now());
      return this.#page.clock.pauseAt(now + AHEAD_MS).then(
        () => true,
        () => null,
      );
    });
  }

  /** It runs as ever again. */
  async goOn(): Promise<void> {
    await this.#page.clock.resume();
  }

  /** Lets time pass, and what it sets off be answered. What was drawn before has been measured by then. */
  async pass(ms: number, stepMs = ms): Promise<void> {
    await this.#page.evaluate(drawn);
    for (let left = ms; left > 0; left -= stepMs) {
      await this.#page.clock.runFor(Math.min(left, stepMs));
      await until(() => this.#underWay.size === 0);
    }
  }

  /** Lets frames pass until this is seen, since nothing is drawn while time stands still. */
  async shows(locator: Locator, stepMs = FRAME_MS): Promise<void> {
    await until(async () => {
      if (await locator.first().isVisible()) return true;
      await this.pass(stepMs);
      return null;
    });
  }
}

/**
 * Runs in the page: observers of sizes are not on its clock. One that told of a change only after
 * time has passed would date it too late, and the shield would take no press.
 */
function drawn(): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      resolve();
    });
    observer.observe(document.documentElement);
  });
}
