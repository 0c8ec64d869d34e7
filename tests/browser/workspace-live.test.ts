import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm, tapCalmly } from "../support/calm.ts";
import { hasDone, LiveWorkspace, WorkspaceTraffic } from "../support/live-workspace.ts";
import { PageLab } from "../support/page-lab.ts";
import { until } from "../support/until.ts";

const lab = PageLab.ofFile();
let workspace: LiveWorkspace;
lab.shares(async () => {
  workspace = await LiveWorkspace.open(lab);
});

const open = (hash: string) => lab.open(`${workspace.url}/${hash}`);

const arrivals = (name: string) =>
  workspace.stage.arrivals.filter((arrival) => arrival.name === name);

test("two browsers answer one question at once, one answer arrives, and the log ends it", async () => {
  const pages = [await open("#/queue"), await open("#/queue")];
  for (const page of pages) await page.getByText(/Nothing needs you|No tmux is running/).waitFor();
  const agent = await workspace.stage.enter({
    ...{ name: "storage", runtime: "agent-a", recording: "question-single", at: "question" },
    // The program accepts a digit at once.
    keys: { question: { "1": "answered", "2": "answered" } },
  });
  const cards = pages.map((page) => page.locator("article", { hasText: "storage" }));
  for (const card of cards)
    await card.getByText("Which database should the service use?").waitFor();
  // The log is read a moment after the screen, and the card grows with it.
  for (const page of pages)
    await page.locator("article[data-agent]", { hasText: "storage" }).waitFor();
  await Promise.all(pages.map(calm));
  // Both are found before the first click: an answer removes the other.
  const options = await Promise.all(
    cards.map((card, n) => card.getByRole("option").nth(n).elementHandle()),
  );
  await Promise.all(options.map((option) => option?.dispatchEvent("click")));
  await until(() => arrivals("storage").length > 0);
  await agent.grow("answered");
  for (const page of pages)
    await page
      .getByText(/, confirmed$|^Nothing needs you|^No longer waiting|Not sent/)
      .first()
      .waitFor();
  expect(arrivals("storage")).toEqual([
    { name: "storage", screen: "question", data: expect.stringMatching(/^[12]$/) },
  ]);
});

test("a message to an idle agent arrives once, and is seen in its log", async () => {
  const agent = await workspace.stage.enter({
    ...{ name: "shop", runtime: "agent-a", recording: "two-panes-same-cwd", at: "A-only" },
    keys: { "A-only": { Enter: "A-again" } },
  });
  const { agent_id } = await workspace.card("shop", ({ agent }) => agent.lifecycle === "idle");
  const page = await open(`#/agent/${agent_id}`);
  const messages = page.locator(".messages li");
  await messages.getByText("Answer to pane A.").waitFor();
  await page.getByRole("textbox", { name: "Message shop" }).fill("Another task of pane A");
  await tapCalmly(page.getByRole("button", { name: "Send", exact: true }));
  const own = messages.filter({ hasText: "Another task of pane A" });
  await becomes(() => arrivals("shop").map(({ data }) => data), ["Another task of pane A", "\r"]);
  await agent.grow("A-again");
  await own.getByText("Seen in its log").waitFor();
  await messages.getByText("Second answer to pane A.").waitFor();
  expect(await own.count()).toBe(1);
  expect(arrivals("shop")).toHaveLength(2);
});

test("a page catches up once its network is back, and polls without a socket", async () => {
  const { page } = await lab.page(PHONE);
  const wire = await Wire.of(page);
  const agent = await workspace.stage.enter({
    ...{ name: "cart", runtime: "agent-a", recording: "todos", at: "first" },
  });
  const { agent_id } = await workspace.card("cart");
  const traffic = new WorkspaceTraffic(page);
  await page.goto(`${workspace.url}/#/agent/${agent_id}`);
  const messages = page.locator(".messages li");
  await messages.getByText("Four steps.").waitFor();
  // Messages are read over REST, also before its socket opens.
  await until(() => traffic.heard.length > 0);
  await wire.cut();
  await page.route("**/api/**", (route) => route.abort());
  traffic.heard.length = 0;
  await agent.goOn("done");
  await workspace.card("cart", hasDone("Write a test"));
  expect(traffic.heard).toEqual([]);
  wire.mend();
  await page.unroute("**/api/**");
  await messages.getByText("Done: the README needed no change.").waitFor();
  await wire.cut();
  traffic.asked.length = 0;
  const isAsked = (path: string) => path.includes(`${agent_id}/messages`);
  await until(() => traffic.asked.filter(isAsked).length > 2 || null);
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

  async cut(): Promise<void> {
    this.#isCut = true;
    await Promise.all(this.#ends.splice(0).map((end) => end()));
  }

  mend(): void {
    this.#isCut = false;
  }
}
