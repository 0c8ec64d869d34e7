import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../src/lib/clock.ts";
import { launchChromium, PHONE } from "../support/browser.ts";
import { hasDone, LiveWorkspace, WorkspaceTraffic } from "../support/live-workspace.ts";
import { PageLab } from "../support/page-lab.ts";
import { PageTime } from "../support/page-time.ts";
import { PushedPage, standInSubscription } from "../support/push-page.ts";
import { PushStandIn } from "../support/push-stand-in.ts";
import { Subscriber } from "../support/subscriber.ts";
import { until } from "../support/until.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile(launchChromium);
let workspace: LiveWorkspace;
let pushService: PushStandIn;
/** Seconds that the service's clock is ahead. */
let ahead: number;
beforeEach(async () => {
  ahead = 0;
  pushService = new PushStandIn();
  lab.closes(() => pushService.stop());
  workspace = await LiveWorkspace.open(lab, {
    clock: { ...systemClock, now: () => systemClock.now() + ahead },
    flags: {
      "push.web_push_hosts": [new URL(pushService.origin).host],
      "push.contact": "mailto:who@example.org",
    },
  });
});

const blank = async (...as: Parameters<PageLab["page"]>): Promise<Page> =>
  (await lab.page(...as)).page;
const enter = (name: string) =>
  workspace.stage.enter({ name, runtime: "agent-a", recording: "todos", at: "first" });
const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });

it("a digest of a due window leads a cold page to the queue", async () => {
  const page = await blank(PHONE, { serviceWorkers: "allow" });
  const context = page.context();
  await context.grantPermissions(["notifications"], { origin: workspace.url });
  const browser = new Subscriber();
  await standInSubscription(page, browser, `${pushService.origin}/up`);
  await page.goto(workspace.url);
  await page.getByText("Live", { exact: true }).waitFor();
  // What is pushed to a worker that is not ready yet is lost.
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("button", { name: /^Phone and alerts/ }).click();
  await page.getByRole("button", { name: "Switch on" }).click();
  await page.getByText("ready", { exact: true }).waitFor();
  const pushed = await PushedPage.attach(page);

  await workspace.send("PATCH", "/api/review/settings", { interval_minutes: 5 });
  await enter("cart");
  await workspace.card("cart");
  ahead = 301;
  // Looked at within half a minute by itself, and at once when a setting changes.
  await workspace.send("PATCH", "/api/review/settings", { urgent_pane_errors: true });
  const posted = await until(() => pushService.received[0]);
  await pushed.deliver(browser.read(posted.body));
  const hash = await until(() =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const [notification] = await registration.getNotifications();
      return notification?.data.hash;
    }),
  );
  await page.close();
  const cold = await context.newPage();
  await cold.goto(`${workspace.url}/${hash}`);
  await cardOf(cold, "cart").waitFor();
  expect(pushService.received).toHaveLength(1);
});

describe("a page whose network comes and goes", () => {
  let page: Page;
  let time: PageTime;
  let wire: Wire;
  const chip = (word: string) => page.getByText(word, { exact: true }).first();
  beforeEach(async () => {
    page = await blank(PHONE);
    wire = await Wire.of(page);
  });

  test("hears then what agents did, and asks where no socket tells", async () => {
    const agent = await enter("cart");
    const { agent_id } = await workspace.card("cart");
    const traffic = new WorkspaceTraffic(page);
    await page.goto(`${workspace.url}/#/agent/${agent_id}`);
    const said = page.locator(".messages li");
    await said.getByText("Four steps.").waitFor();
    wire.cut();
    await page.route("**/api/**", (route) => route.abort());
    await agent.goOn("done");
    await workspace.card("cart", hasDone("Write a test"));
    expect(traffic.heard.map(({ type }) => type)).toEqual(["hello"]);
    wire.mend();
    await page.unroute("**/api/**");
    await said.getByText("Done: the README needed no change.").waitFor();
    const types = new Set(traffic.heard.map(({ type }) => type));
    expect([...types].toSorted()).toEqual(["agent_event", "hello"]);

    wire.cut();
    traffic.asked.length = 0;
    const isAsked = (path: string) => path.includes(`${agent_id}/messages`);
    await until(() => traffic.asked.filter(isAsked).length > 2 || null);
  });

  test("is offline, and what is drawn can be marked", async () => {
    await workspace.stage.enter({
      ...{ name: "storage", runtime: "agent-a", recording: "question-single", at: "question" },
    });
    await workspace.card("storage");
    time = await PageTime.of(page);
    await page.goto(`${workspace.url}/#/queue`);
    await cardOf(page, "storage").getByRole("option", { name: "SQLite" }).waitFor();
    await cardOf(page, "storage").getByRole("button", { name: "Reviewed" }).waitFor();
    await chip("Live").waitFor();
    await time.stop();
    wire.cut();
    await page.route("**/api/state?*", (route) => route.abort());
    await time.shows(chip("Offline"), 500);
    await page.getByRole("button", { name: "Reviewed" }).click();
    await workspace.card("storage", ({ reviewed_at }) => reviewed_at !== null);
  });
});

/** The sockets of a page, which can be cut. */
class Wire {
  #isCut = false;
  readonly #ends: (() => Promise<void>)[] = [];

  static async of(page: Page): Promise<Wire> {
    const wire = new Wire();
    await page.routeWebSocket(/./, (socket) => {
      if (wire.#isCut) return void socket.close({ code: 1011 });
      socket.connectToServer();
      wire.#ends.push(() => socket.close({ code: 1011 }));
    });
    return wire;
  }

  cut(): void {
    this.#isCut = true;
    for (const end of this.#ends.splice(0)) void end();
  }

  mend(): void {
    this.#isCut = false;
  }
}
