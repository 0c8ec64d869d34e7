import { beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { RecordReply } from "../../src/protocol/acts.ts";
import { Review, ReviewRequest } from "../../src/protocol/review.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { built } from "../support/built.ts";
import { addressOf } from "../support/child.ts";
import { calm } from "../support/calm.ts";
import { cardOf, send, WorkspaceTraffic } from "../support/live-workspace.ts";
import { PageLab } from "../support/page-lab.ts";
import { RecordedStage } from "../support/recorded-stage.ts";
import { until } from "../support/until.ts";

const lab = PageLab.ofFile();
let stage: RecordedStage;
let service: Awaited<ReturnType<typeof serve>>;
let folder: string;
let page: Page;
let traffic: WorkspaceTraffic;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "panewatch-restart-"));
  lab.closes(() => rm(folder, { recursive: true, force: true }));
  stage = await RecordedStage.open();
  lab.closes(() => stage.close());
  await startService(0);
  lab.closes(() => service.end("SIGTERM"));
  await send(service.url, "PATCH", "/api/config", { experimental_agent_workspace_enabled: true });
  ({ page } = await lab.page(PHONE));
  traffic = new WorkspaceTraffic(page);
});

async function startService(port: number): Promise<void> {
  const config = join(folder, "panewatch.yaml");
  const { "agents.agent_a_home": agent_a_home, "agents.agent_b_home": agent_b_home } = stage.homes;
  const values = {
    server: { port, log: "quiet" },
    mux: { socket: stage.tmux.socket },
    agents: { agent_a_home, agent_b_home },
    poll_interval: 0.2,
    naming_mode: "window",
  };
  await Bun.write(config, Bun.YAML.stringify(values));
  service = await serve(config);
}

/** The same state on the same address. */
const startAgain = () => startService(Number(new URL(service.url).port));
const review = async () => Review.parse(await send(service.url, "GET", "/api/review"));
const group = (name: string) => cardOf(service.url, { pane: stage.paneOf(name), isSo: () => true });
const card = (name: string) => page.locator("article", { hasText: name });
const unknownCursors = () =>
  traffic.heard.filter(({ reason }) => reason === "cursor_unknown").length;

test("a server killed while an answer is being sent sends nothing again, nor does the page; marks and settings are kept, and the page reads everything again", async () => {
  const cart = await stage.enter({
    ...{ name: "cart", runtime: "agent-a", recording: "todos", at: "first" },
  });
  await send(service.url, "PATCH", "/api/review/settings", { interval_minutes: 30 });
  await group("cart");
  await page.goto(`${service.url}/#/queue`);
  await card("cart").waitFor();
  const isMark = (method: string, url: string) => method === "PUT" && url.endsWith("/review");
  await calm(page);
  const marked = page.waitForResponse((reply) => isMark(reply.request().method(), reply.url()));
  await card("cart").getByRole("button", { name: "Reviewed" }).click();
  const mark = ReviewRequest.parse((await marked).request().postDataJSON());
  const { settings } = await review();

  // It accepts the key and draws nothing until the test says so.
  const agent = await stage.enter({
    ...{ name: "storage", runtime: "agent-a", recording: "question-single", at: "question" },
  });
  const killed = Promise.withResolvers<void>();
  let isKilled = false;
  await page.route("**/api/select", async (route) => {
    // The page's later request under the same key gets through.
    if (isKilled) return route.continue();
    isKilled = true;
    // The server receives it, and the page gets no reply.
    const reply = route.fetch().catch(() => null);
    await until(() => stage.arrivals.length > 0);
    await service.end("SIGKILL");
    await reply;
    await route.abort();
    killed.resolve();
  });
  const options = card("storage").getByRole("option");
  await options.first().waitFor();
  await until(() => traffic.heard.length > 0);
  // A card takes no tap within the shield.
  await until(async () => {
    await calm(page);
    if (isKilled) return true;
    const tapped = options.filter({ hasText: "PostgreSQL" }).tap({ timeout: 2000 });
    await tapped.catch(() => undefined);
    return null;
  });
  const sent = [{ name: "storage", screen: "question", data: "2" }];
  await killed.promise;
  expect(stage.arrivals).toEqual(sent);
  await cart.goOn("second");
  await startAgain();
  await becomes(unknownCursors, 1);
  expect((await group("cart")).reviewed_snapshot_id).toBe(mark.snapshot_id);
  expect((await review()).settings).toEqual(settings);
  await card("cart").getByText("now: Add the total function").waitFor();
  await traffic.told(stage.paneOf("cart"), ({ news }) =>
    news.some(({ text }) => text === "Read the cart module"),
  );
  const fate = card("storage").getByText(/May have arrived|Not confirmed yet/);
  await fate.waitFor();
  // Killed a moment later, the service has already stored it as sent, and its outcome is unknown.
  const { acts } = RecordReply.parse(await send(service.url, "GET", "/api/acts"));
  const isDoubted = acts[0]?.state === "unknown";
  expect(await options.count()).toBe(0);
  await agent.goOn("answered");
  if (isDoubted) {
    // Until its terminal is inspected, whatever its screen shows.
    await card("storage").getByRole("button", { name: "Inspect terminal" }).tap();
    await page.getByRole("log").waitFor();
  } else await fate.waitFor({ state: "detached" });
  expect(await options.count()).toBe(0);
  expect(stage.arrivals).toEqual(sent);
});

const ENTRY = join(import.meta.dir, "../support/served.ts");

/** The service in a process of its own, which can be killed; its state is beside its configuration. */
async function serve(configPath: string) {
  const executable = await built("panewatch");
  const argv =
    executable === null
      ? [process.execPath, "--no-env-file", ENTRY, configPath, lab.folder]
      : [executable, "--config", configPath];
  // A killed process leaves its temporary files there.
  const env = { ...process.env, TMPDIR: folder };
  const child = Bun.spawn(argv, { env, stdio: ["ignore", "pipe", "inherit"] });
  const end = async (signal: "SIGTERM" | "SIGKILL") => {
    child.kill(signal);
    await child.exited;
  };
  return { url: await addressOf(child.stdout), end };
}
