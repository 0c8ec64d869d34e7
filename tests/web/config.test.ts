import { signal } from "@preact/signals";
import { describe, expect, test } from "bun:test";
import type { ConfigReply, ProviderHealth } from "../../src/protocol/config.ts";
import { areAllOff, hasListed, outageOf, workspaceOf } from "../../web/model/config.ts";
import type { Result } from "../../web/net/api.ts";
import { ConfigStore, WorkspaceSwitch } from "../../web/state/server/config.ts";
import { signIn } from "../../web/state/server/sign-in.ts";
import { Editor, mergeLines, Settings, withOverride } from "../../web/state/server/settings.ts";
import { configReply } from "../support/fixture-config.ts";
import { becomes } from "../support/becomes.ts";
import { apiOf, serverOf } from "../support/page-server.ts";
import { pane } from "../support/pane.ts";
import { stage } from "./agents/stage.ts";

const ON = { enabled: true, mode: "log_observer", degraded_reason: null };
const OFF = { ...ON, enabled: false };
const WHY = { degraded_reason: "no store" };
const ALL = { step: "on", hasReview: true } as const;
const BARE = { step: "on", hasReview: false } as const;
const UNAVAILABLE = { step: "unavailable", reason: "no store" } as const;
const REVIEW = { enabled: true, version: 1, scheduling: true };

function config(
  wanted: boolean,
  context: object | null = ON,
  review: object | null = REVIEW,
): ConfigReply {
  const capabilities = {
    ...(context ? { agent_context_v1: context } : {}),
    ...(review ? { agent_review_v1: review } : {}),
  };
  const reply = { experimental_agent_workspace_enabled: wanted, _info: { capabilities } };
  return reply as unknown as ConfigReply; // The rest is of no interest here.
}

describe("the workspace of a server that reports", () => {
  test.each([
    ["on", config(true), ALL],
    ["on without review", config(true, ON, null), BARE],
    ["a review of a later version", config(true, ON, { ...REVIEW, version: 2 }), BARE],
    ["version 1 in so many words", config(true, { ...ON, version: 1 }), ALL],
    ["switched off", config(false, { ...OFF, mode: "disabled" }), { step: "off" }],
    ["impossible", config(false, { ...OFF, ...WHY }), UNAVAILABLE],
    ["wanted, and it does not run", config(true, { ...OFF, ...WHY }), UNAVAILABLE],
    ["wanted, and about to run", config(true, OFF), { step: "starting" }],
    ["a later version", config(true, { ...ON, version: 2 }), { step: "none" }],
    ["another mode", config(true, { ...ON, mode: "telepathy" }), { step: "none" }],
    ["nothing of it", config(true, null), { step: "none" }],
    ["nothing yet", null, { step: "none" }],
  ] as const)("%s", (_name, reply, facts) => {
    expect(workspaceOf(reply)).toEqual(facts);
  });
});

describe("the workspace of the page", () => {
  function openSwitch(first: ConfigReply) {
    const current = signal<ConfigReply | null>(first);
    const workspace = new WorkspaceSwitch(serverOf({ config: { current } }));
    const use = () => workspace.use(() => stage(() => ({ body: null })).workspace);
    return { current, workspace, use };
  }

  test("is made once while it is on, and dropped when it is off", () => {
    const { current, workspace, use } = openSwitch(config(true));
    workspace.follow();
    expect(workspace.current).toBeNull();
    const made = use();
    expect([use() === made, workspace.current === made]).toEqual([true, true]);
    expect(made).not.toBeNull();
    current.value = config(false);
    workspace.follow();
    expect([use(), workspace.current]).toEqual([null, null]);
    current.value = config(true);
    workspace.follow();
    expect(use() === made).toBe(false);
  });

  test("stays the same object while the workspace starts again after a restart", () => {
    const { current, workspace, use } = openSwitch(config(true));
    workspace.follow();
    const shown = use();
    current.value = config(true, OFF, { ...REVIEW, enabled: false });
    workspace.follow();
    expect(workspace.facts.value).toEqual(ALL);
    expect(use()).toBe(shown);
    current.value = config(true);
    workspace.follow();
    expect(use()).toBe(shown);
  });
});

const AWAY: Partial<ProviderHealth> = {
  status: "unavailable",
  last_success_at: 1000,
  last_error: "session_unavailable",
  message: "wsp server: session work does not run; start it with: herdr --session work",
};
const withHealth = (health: Partial<ProviderHealth>) => {
  const reply = configReply();
  const provider = reply._info.capabilities.terminal_provider_v1;
  if (!provider) throw new Error("the fixture has a provider");
  Object.assign(provider, { provider: "wsp" });
  Object.assign(provider.health, health);
  reply._info.labels = { wsp: "herdr" };
  return reply;
};
const off = (id: string, stale: boolean) => pane({ id, stale, actionable: false });

const DEGRADED = { status: "degraded", last_error: "incompatible", message: "not tried" } as const;
test.each([
  ["cannot be read, with the remedy", AWAY, true, false, 1000],
  ["are read but may not be answered", { ...AWAY, ...DEGRADED }, false, true, 1000],
])("panes that all %s are one outage", (_, health, stale, isReadOnly, lastSuccessAt) => {
  const panes = [off("h:1", stale), off("h:2", stale), pane({ id: "cfg:x", actionable: false })];
  const message = health.message ?? "";
  const outage = { provider: "herdr", isReadOnly, lastSuccessAt, message };
  expect(outageOf(panes, withHealth(health))).toEqual(outage);
});

test("one pane that can be acted on, or a provider that is ready, is no outage", () => {
  const live = pane({ id: "h:1", actionable: true });
  expect(outageOf([live, off("h:2", true)], withHealth(AWAY))).toBeNull();
  expect(outageOf([off("h:2", true)], withHealth({ status: "ready" }))).toBeNull();
  expect(outageOf([off("h:2", true)], null)).toBeNull();
  expect([areAllOff([]), areAllOff([off("h:1", true)]), areAllOff([live])]).toEqual([
    ...[false, true, false],
  ]);
});

test("a run of the server whose first pass has failed has not listed its panes", () => {
  const never = withHealth({ status: "unavailable", last_success_at: 0 });
  const placeholder = pane({ id: "cfg:x", actionable: false });
  expect([hasListed([], never), hasListed([placeholder], never)]).toEqual([false, false]);
  // A listed pane outweighs a configuration that may be older.
  expect(hasListed([pane({ id: "h:1" })], never)).toBe(true);
  expect([hasListed([], withHealth(AWAY)), hasListed([], null)]).toEqual([true, true]);
});

test("a name that is given after a star does not take the star back", async () => {
  let overrides: readonly unknown[] = [];
  const api = apiOf(({ method, body }) => {
    if (method === "PATCH") ({ overrides } = Object(body));
    return { body: { ...configReply(), overrides } };
  });
  const config = new ConfigStore(serverOf({ api }));
  await config.load();
  // The star comes from this page or another one, without a new configuration.
  overrides = [{ target: "gpu-1:train:0.0", name: "", kind: null, star: true }];
  const settings = new Settings({ config });
  const named = await settings.change("overrides", (all) =>
    withOverride(all, "gpu-1:train:0.0", { name: "trainer" }),
  );
  expect(named.ok).toBe(true);
  expect(overrides).toEqual([
    { target: "gpu-1:train:0.0", name: "trainer", kind: null, star: true },
  ]);
});

/** A configuration whose replies come when the test lets them, each with its number. */
function lateReplies() {
  const replies: ((poll_interval: number) => void)[] = [];
  const api = apiOf(async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    replies.push(resolve);
    return { body: { ...configReply(), poll_interval: await promise } };
  });
  const config = new ConfigStore(serverOf({ api }));
  const shown = () => config.current.value?.poll_interval;
  return { config, replies, shown };
}

test("a late look at the configuration does not take back a newer one, or a change", async () => {
  const { config, replies, shown } = lateReplies();
  const looks = [config.load(), config.load()];
  const change = config.patch({ poll_interval: 3 });
  replies[1]?.(2);
  await looks[1];
  expect(shown()).toBe(2);
  replies[0]?.(1);
  // What asked for it goes on with the newer one.
  expect(await looks[0]).toBe("ok");
  expect(shown()).toBe(2);
  replies[2]?.(3);
  await change;
  expect(shown()).toBe(3);
  const next = config.load();
  replies[3]?.(4);
  await next;
  expect(shown()).toBe(4);
});

test.each([
  ["a look", (config: ConfigStore) => config.load()],
  ["another change", (config: ConfigStore) => config.patch({ poll_interval: 2 })],
])("the configuration is read again after a change that %s has overlapped", async (_, other) => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const { config, replies, shown } = lateReplies();
    const both = [config.patch({ poll_interval: 1 }), other(config)];
    for (const index of order) replies[index]?.(index);
    await Promise.all(both);
    // Which of the two the server took last only a later look tells.
    await becomes(() => {
      for (const reply of replies.splice(2)) reply(7);
      return shown();
    }, 7);
  }
});

test("a token that is refused late does not take the place of one that came meanwhile", async () => {
  const { promise, resolve } = Promise.withResolvers<"unauthorized">();
  let stored = "first";
  const token = { get: () => stored, set: (next: string | null) => void (stored = next ?? "") };
  const config = { load: () => promise };
  const outcome = signIn(serverOf({ token, config }), "typed");
  expect(stored).toBe("typed");
  // By a pairing link, here or in another tab.
  token.set("paired");
  resolve("unauthorized");
  expect([await outcome, stored]).toEqual(["refused", "paired"]);
});

test.each([
  ["nobody else has changed it", ["b", "c"], ["a", "b"], ["b", "c"]],
  ["both have added", ["a", "x", "b"], ["a", "b", "y"], ["a", "x", "b", "y"]],
  ["both have removed", ["b"], ["a"], []],
  ["both have changed the same", ["mine", "b"], ["theirs", "b"], ["mine", "theirs", "b"]],
  ["both have added the same", ["a", "b", "x"], ["x", "a", "b"], ["x", "a", "b"]],
  ["the line before an added one is gone", ["a", "b", "x"], ["c"], ["x", "c"]],
])("two changes of one list are merged where %s", (_, mine, theirs, both) => {
  expect(mergeLines(["a", "b"], mine, theirs)).toEqual(both);
});

test("changes of one list in quick succession all hold, and are shown before they are saved", async () => {
  const place = { reasons: ["error", "quota"] };
  const requests: PromiseWithResolvers<void>[] = [];
  const editor = new Editor<typeof place>({
    current: () => place,
    patch: async (change) => {
      const held = Promise.withResolvers<void>();
      requests.push(held);
      await held.promise;
      Object.assign(place, change);
      return { ok: true, value: null };
    },
  });
  const without = (reason: string) =>
    editor.change("reasons", (all) => all.filter((one) => one !== reason));
  const both = [without("error"), without("quota")];
  expect(editor.shown("reasons")).toEqual([]);
  for (const index of both.keys()) {
    await becomes(() => requests.length, index + 1);
    expect(editor.shown("reasons")).toEqual([]);
    requests[index]?.resolve();
  }
  await Promise.all(both);
  expect([place.reasons, editor.saving("reasons").value]).toEqual([[], null]);
});

test("a refused value is taken back, and its failure is shown until it is forgotten", async () => {
  const editor = new Editor<{ minutes: number }>({
    current: () => ({ minutes: 5 }),
    patch: async () => ({ ok: false, failure: { kind: "lost" } }),
  });
  const saved = editor.save("minutes", 30);
  expect(editor.shown("minutes")).toBe(30);
  expect(await saved).toEqual({ ok: false, failure: { kind: "lost" } });
  expect(editor.shown("minutes")).toBe(5);
  expect(editor.saving("minutes").value).toMatchObject({ failure: { kind: "lost" } });
  editor.forget();
  expect(editor.saving("minutes").value).toBeNull();
});

test("a value that is saved takes the place of an earlier one that was refused", async () => {
  const replies: Result<unknown>[] = [
    { ok: false, failure: { kind: "lost" } },
    { ok: true, value: null },
  ];
  const minutes = { minutes: 5 };
  const editor = new Editor<typeof minutes>({
    current: () => minutes,
    patch: async (change) => {
      const reply = replies.shift() ?? { ok: true, value: null };
      if (reply.ok) Object.assign(minutes, change);
      return reply;
    },
  });
  await Promise.all([editor.save("minutes", 10), editor.save("minutes", 15)]);
  expect([editor.shown("minutes"), editor.saving("minutes").value]).toEqual([15, null]);
});
