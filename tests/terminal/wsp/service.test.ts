import { PANEWATCH } from "../../support/program.ts";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { PaneState } from "../../../src/protocol/pane.ts";
import { until } from "../../support/until.ts";
import { WspDouble } from "../../support/wsp/double.ts";
import { openPane } from "../../support/wsp/provider.ts";
import { recordedCalls } from "../../support/wsp/recorded.ts";
import { composer } from "../../support/wsp/watched.ts";
import { jsonRequest } from "../../support/json.ts";
import { addressOf } from "../../support/child.ts";

async function screenOf(name: string): Promise<string> {
  const call = (await recordedCalls()).find((each) => each.name === name);
  if (!call) throw new Error(`${name} is not recorded`);
  return call.stdout.replace(/\n$/, "");
}

async function api(path: string, body?: unknown, method = body ? "POST" : "GET") {
  const reply = await fetch(url + path, jsonRequest(method, body));
  return { status: reply.status, body: await reply.json() };
}

async function panes(): Promise<PaneState[]> {
  return (await api("/api/state")).body.panes;
}

const double = await WspDouble.start();
const { world } = double.session();
const claude = openPane(world, "main", "one");
world.startAgent(claude, "claude", "blocked");
claude.screen.show(await screenOf("real-claude/blocked-detection"));
const codex = openPane(world, "main", "two");
world.startAgent(codex, "codex", "blocked");
codex.screen.show(await screenOf("real-codex/blocked-detection"));
const config = join(double.folder, "config.yaml");
const wsp = `{session: demo, binary: ${JSON.stringify(double.binary)}}`;
await Bun.write(config, `terminal: {provider: herdr, wsp: ${wsp}}\nserver: {port: 0}\n`);
const service = Bun.spawn([...PANEWATCH, "-c", config], {
  env: { ...double.env, PATH: process.env.PATH ?? "" },
  stdio: ["ignore", "pipe", "pipe"],
});
const url = await addressOf(service.stdout);

afterAll(async () => {
  service.kill("SIGTERM");
  expect(await service.exited).toBe(0);
  await double.stop();
});

test("the recorded screens of real agents are published with their questions and options", async () => {
  const [first, second] = await panes();
  expect(first).toMatchObject({
    ...{ kind: "agent_a", status: "needs_input", question: "Do you want to proceed?" },
    native_agent: { present: true, kind: "claude", status: "blocked" },
  });
  expect(first?.menu.map(({ key }) => key)).toEqual(["1", "2", "3", "4"]);
  expect(second).toMatchObject({
    ...{ kind: "agent_b", status: "needs_input" },
    question: "Would you like to run the following command?",
  });
  expect(second?.menu).toHaveLength(3);
});

test("capabilities that this provider lacks are reported as absent, and their routes refuse", async () => {
  const { capabilities } = (await api("/api/config")).body._info;
  expect(capabilities.terminal_provider_v1).toMatchObject({
    ...{ provider: "wsp", mode: "monitor_respond", guarded_input: true, native_agent_state: true },
    ...{ creation: false, deletion: false },
    health: { status: "ready", last_error: null, protocol: 20, version: "0.8.2" },
  });
  expect(capabilities.mux_create_v1).toMatchObject({ supported: false, enabled: false });
  expect(capabilities.agent_context_v1).toMatchObject({ enabled: false });
  expect(capabilities.agent_review_v1).toMatchObject({ enabled: false });
  expect((await api("/api/mux/creation")).status).toBe(503);
  const wanted = { experimental_agent_workspace_enabled: true };
  expect((await api("/api/config", wanted, "PATCH")).status).toBe(400);
});

test("an answer under the pane's guard arrives once, and is refused once the prompt has changed", async () => {
  claude.program = () => {
    claude.screen.show(composer());
    double.session().world.setState(claude, "idle");
  };
  const [first] = await panes();
  const request = {
    ...{ id: first?.id, operation: "select", option_id: first?.menu[0]?.id },
    ...{ expected: first?.action_guard, idempotency_key: "one" },
  };
  const answers = [await api("/api/input", request), await api("/api/input", request)];
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, delivery: "accepted" });
  }
  expect(claude.received).toBe("1");
  await until(async () => (await panes())[0]?.status === "idle");
  const again = await api("/api/input", { ...request, idempotency_key: "two" });
  expect([again.status, again.body.detail.reason]).toEqual([409, "prompt_changed"]);
  expect(claude.received).toBe("1");
  expect((await api("/api/input", { ...request, extra: 1 })).status).toBe(422);
});

test("a session that ends makes its panes stale, and is watched again when it is back", async () => {
  double.end("demo", "stopped");
  const stale = await until(async () => {
    const now = await panes();
    return now.every((pane) => pane.stale && !pane.actionable) ? now : null;
  });
  expect(stale.length).toBeGreaterThan(1);
  const health = async () =>
    (await api("/api/config")).body._info.capabilities.terminal_provider_v1.health;
  // The running pass may have failed for another reason; the next pass has this one.
  const report = await until(async () =>
    (await health()).status === "unavailable" ? await health() : null,
  );
  expect(report.last_error).toBe("session_unavailable");
  double.restart();
  // Shells are hidden, and the session's agents have ended with it.
  await until(async () => (await health()).status === "ready");
  const { world } = double.session();
  world.startAgent(codex, "codex");
  await until(async () => (await panes()).some((pane) => pane.actionable));
  expect(double.violations).toEqual([]);
});
