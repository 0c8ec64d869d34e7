import { describe, expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import type { ListedPane } from "../../../src/terminal/provider.ts";
import type { Transition } from "../../../src/terminal/transitions.ts";
import { until } from "../../support/until.ts";
import { wspStage, type WspStage } from "../../support/wsp/provider.ts";
import { permission, runAgent, watched } from "../../support/wsp/watched.ts";

const { signal } = new AbortController();

async function only(stage: WspStage): Promise<ListedPane> {
  const panes = await stage.provider.list(signal);
  const [pane] = panes;
  if (!pane || panes.length !== 1) throw new Error(`${panes.length} panes are listed`);
  return pane;
}

async function captured(stage: WspStage, pane: ListedPane) {
  return (await stage.provider.capture([pane], 200, signal)).get(pane.id);
}

/** Lists until events come: where the socket is slow, a later pass subscribes. */
async function eventsOf(stage: WspStage): Promise<void> {
  await until(async () => {
    await only(stage);
    return stage.provider.events().active;
  });
}

describe.each([["auto"], ["cli"]] as const)("a provider with reads %s", (reads) => {
  test("lists a pane with its places, under a handle that holds none of the server's ids", async () => {
    await using stage = await wspStage({ reads });
    const pane = stage.open({ tab: "build" });
    pane.screen.show("hello\n$ ");
    const listed = await only(stage);
    expect(listed.id).toMatch(/^h:[A-Za-z0-9_-]{24}$/);
    expect(listed.target).toMatch(/^wsp:[A-Za-z0-9_-]+$/);
    expect(listed.hierarchy.map(({ kind, label }) => [kind, label])).toEqual([
      ["session", "demo"],
      ["workspace", "main"],
      ["tab", "build"],
      ["pane", "1"],
    ]);
    expect(JSON.stringify(listed)).not.toContain(pane.terminalId);
    expect(JSON.stringify(listed)).not.toContain(pane.id);
    expect(listed.command).toBe("sh");
    expect(await captured(stage, listed)).toEqual({ text: "hello\n$\n", display: "hello\n$ " });
    expect(stage.double.violations).toEqual([]);
  });

  test("takes no more of a name than of tmux, whoever gives it", async () => {
    await using stage = await wspStage({ reads });
    const long = "x".repeat(500_000);
    const pane = stage.open({ workspace: long, tab: long });
    Object.assign(pane, { label: long, title: long, agent: long });
    expect(JSON.stringify(await only(stage)).length).toBeLessThan(50_000);
  });

  test("names panes by labels, and by numbers only where there is no label", async () => {
    await using stage = await wspStage({ reads });
    const pane = stage.open({ workspace: "agents", tab: "databases" });
    pane.label = "question";
    stage.open({ workspace: "agents" });
    const panes = await stage.provider.list(signal);
    expect(panes.map(({ names }) => Object.values(names).join(":"))).toEqual([
      ...["agents:databases:question", "agents:2:1"],
    ]);
  });

  test("gives an unchanged pane as the same object, and its capture as unchanged", async () => {
    await using stage = await wspStage({ reads });
    stage.open().screen.show("hello");
    const first = await only(stage);
    await captured(stage, first);
    const second = await only(stage);
    expect(second).toBe(first);
    const text = "hello\n";
    const before = [{ pane: second, captured: first, at: 0, text }];
    expect([...(await stage.provider.unchanged(before))]).toEqual([second.id]);
  });

  test("never types into an idle full-screen agent when it reads", async () => {
    await using stage = await wspStage({ reads });
    const pane = stage.open();
    pane.screen.alternate = true;
    stage.world.startAgent(pane, "claude", "idle");
    pane.screen.show("\u001b[1mready\u001b[0m");
    const listed = await only(stage);
    await captured(stage, listed);
    await stage.provider.look(listed.id, 1000, signal);
    expect(pane.received).toBe("");
    expect(stage.double.violations).toEqual([]);
    expect(await captured(stage, listed)).toEqual({
      text: "ready\n",
      display: "\u001b[1mready\u001b[0m",
    });
  });

  test("reports the native agent state until the agent is gone", async () => {
    await using stage = await wspStage({ reads });
    const pane = stage.open();
    stage.world.startAgent(pane, "claude", "blocked");
    expect(await only(stage)).toMatchObject({
      command: "claude",
      native: { present: true, kind: "claude", status: "blocked", state_change_seq: 1 },
    });
    stage.world.endAgent(pane);
    // For a moment the server reports the state without an agent.
    expect((await only(stage)).native).toMatchObject({ present: false, status: "blocked" });
  });

  // A killed session leaves its socket file behind.
  test.each(["stopped", "killed"] as const)(
    "fails a pass of a session that is %s, and needs no restart when the session returns",
    async (end) => {
      await using stage = await wspStage({ reads });
      stage.open();
      await only(stage);
      stage.double.end("demo", end);
      for (let pass = 0; pass < 2; pass++)
        await expect(stage.provider.list(signal)).rejects.toMatchObject({
          ...{ health: "unavailable", lastError: "session_unavailable" },
        });
      stage.double.restart();
      expect(await stage.provider.list(signal)).toHaveLength(1);
    },
  );

  test.each([
    ["garbage", "malformed"],
    ["half", "malformed"],
    ["invalid_utf8", "malformed"],
    ["oversized", "oversized"],
    ["close", "command_failed"],
    ["empty", "command_failed"],
    ["wrong_id", "malformed"],
  ] as const)(
    "fails a pass with an answer that is %s, and the next pass succeeds",
    async (fault, lastError) => {
      await using stage = await wspStage({ reads });
      stage.open();
      await only(stage);
      stage.double.session().fail(fault, { method: "session.snapshot" });
      const failed = stage.provider.list(signal);
      // The executable reports a malformed answer by its exit code.
      const byCode = ["garbage", "half"].includes(fault) ? "command_failed" : lastError;
      // It prints nothing then, which is not JSON.
      const byTool = fault === "empty" ? "malformed" : byCode;
      const expected: string[] = [reads === "auto" ? lastError : byTool];
      // On a busy machine so much output takes too long.
      if (fault === "oversized") expected.push("timeout");
      const error: unknown = await failed.catch((cause: unknown) => cause);
      expect(expected).toContain(Object(error).lastError);
      expect(await stage.provider.list(signal)).toHaveLength(1);
      expect(stage.double.running.size).toBe(0);
    },
  );
});

test("a pane that goes during a listing is left out of it, and the others are listed", async () => {
  await using stage = await wspStage();
  const gone = stage.open();
  stage.open();
  await stage.provider.list(signal);
  const refusal = { error: { code: "pane_not_found", message: "gone" } };
  stage.double.session().fail(refusal, { method: "pane.read", pane: gone.id });
  expect(await stage.provider.list(signal)).toHaveLength(1);
});

test.each(["invalid_request", "not_implemented"])(
  "a session that refuses process queries (%s) is watched without them",
  async (code) => {
    await using stage = await wspStage();
    const pane = stage.open();
    stage.world.startAgent(pane, "claude");
    const refusal = { error: { code, message: "no" } };
    const rule = stage.double.session().fail(refusal, { method: "pane.process_info", times: 99 });
    const listed = await only(stage);
    expect(listed.command).toBe("claude");
    expect(await captured(stage, listed)).toMatchObject({ text: "" });
    expect(await stage.provider.look(listed.id, 200, signal)).not.toBeNull();
    expect(rule.times).toBe(98);
  },
);

test("a look at a pane that has moved does not switch off the process queries of the others", async () => {
  await using stage = await wspStage();
  const pane = stage.open();
  stage.open();
  const before = (await stage.provider.list(signal))[0];
  stage.world.move(pane.id, stage.world.openTab(stage.world.openWorkspace("other")).id);
  expect(await stage.provider.look(before?.id ?? "", 200, signal)).toBeNull();
  const other = stage.open();
  const panes = await stage.provider.list(signal);
  expect(panes.map(({ command }) => command)).toEqual(["sh", "sh", "sh"]);
  expect(panes.some(({ hierarchy }) => hierarchy[2]?.label === other.tab.label)).toBe(true);
});

test("a send to a pane that was closed or moved says so, and one to an agent that ended is refused", async () => {
  await using stage = await wspStage();
  const [gone, moved, ended] = [stage.open(), stage.open(), stage.open()];
  stage.open({ workspace: "other" });
  for (const pane of [gone, moved, ended]) stage.world.startAgent(pane, "claude", "blocked");
  const panes = await stage.provider.list(signal);
  const send = (at: number) =>
    stage.provider.send(panes[at]?.id ?? "", [{ do: "key", key: "Enter" }], null);
  stage.world.close(gone.id);
  await expect(send(0)).rejects.toMatchObject({ detail: { code: "pane_gone" } });
  expect(stage.provider.fateOf(panes[0]?.id ?? "")).toBe("gone");
  stage.world.move(moved.id, "w2:t1");
  await expect(send(1)).rejects.toMatchObject({ detail: { code: "pane_gone" } });
  expect(stage.provider.fateOf(panes[1]?.id ?? "")).toBe("moved");
  stage.world.endAgent(ended);
  expect(await send(2)).toBe("refused");
});

test("a look reads the detection buffer last, followed only by the route", async () => {
  await using stage = await wspStage();
  stage.open().screen.show("hello");
  const listed = await only(stage);
  const { requests } = stage.double.server();
  const before = requests.length;
  await stage.provider.look(listed.id, 200, signal);
  const made = requests.slice(before).map(({ method, params }) => params.source ?? method);
  expect(made.slice(-2)).toEqual(["detection", "pane.get"]);
  expect(made.slice(0, -2).toSorted()).toEqual([
    ...["pane.get", "pane.process_info", "recent_unwrapped"],
  ]);
});

test("a capture that is too large fails for its pane alone", async () => {
  await using stage = await wspStage();
  const large = stage.open();
  const other = stage.open();
  other.screen.show("other");
  const rule = { method: "pane.read", pane: large.id, times: 99 };
  stage.double.session().fail("oversized", rule);
  const capture = async () => {
    const panes = await stage.provider.list(signal);
    return await stage.provider.capture(panes, 200, signal);
  };
  // On a busy machine so much output takes too long, which fails a pass.
  const found = await until(() =>
    capture().catch((error: unknown) => {
      if (Object(error).lastError !== "timeout") throw error;
      return null;
    }),
  );
  expect([...found.values()].map((one) => one instanceof Error)).toEqual([true, false]);
});

test("an executable that hangs is ended, and the next pass succeeds", async () => {
  await using stage = await wspStage({ reads: "cli", runsExecutable: true });
  stage.open();
  await only(stage);
  stage.double.session().fail("hang", { method: "session.snapshot" });
  await expect(stage.provider.list(signal)).rejects.toMatchObject({ lastError: "timeout" });
  await until(() => stage.double.running.size === 0);
  expect(await stage.provider.list(signal)).toHaveLength(1);
});

test("a socket that was replaced between two passes is checked again before it is used", async () => {
  await using stage = await wspStage();
  stage.open();
  const before = await only(stage);
  const calls = stage.double.calls.length;
  stage.double.handOff();
  const after = await only(stage);
  const made = stage.double.calls.slice(calls).map(({ args }) => args.slice(0, 2).join(" "));
  // On a busy machine the ping after the checks is late, and the executable reads instead of the socket.
  const checks = made.filter(
    (call) => !["api snapshot", "pane process-info", "pane read"].includes(call),
  );
  expect(checks).toEqual(["status --json", "session list", "api schema"]);
  expect(after.id).not.toBe(before.id);
});

test("a socket that other users may use is refused", async () => {
  await using stage = await wspStage();
  stage.open();
  await only(stage);
  chmodSync(stage.double.socketPath(), 0o666);
  await expect(stage.provider.list(signal)).rejects.toMatchObject({ lastError: "socket_invalid" });
});

test("each call names the session last, and of the HERDR variables only the session reaches the executable", async () => {
  const inherited = { HERDR_SESSION: "other", HERDR_SOCKET_PATH: "/tmp/x", HERDR_ENV: "1" };
  await using stage = await wspStage({ reads: "cli", inherited, runsExecutable: true });
  stage.open();
  await only(stage);
  expect(stage.double.calls.length).toBeGreaterThan(3);
  for (const { args, env } of stage.double.calls) {
    expect(args.slice(-2)).toEqual(["--session", "demo"]);
    expect([env.HERDR_SESSION, env.HERDR_SOCKET_PATH, env.HERDR_ENV]).toEqual([
      "demo",
      undefined,
      undefined,
    ]);
  }
});

test("a shell that stood still for a minute is read in every third pass, an agent in every pass", async () => {
  let now = 0;
  await using stage = await wspStage({ nowMs: () => now });
  const [shell, agent] = [stage.open(), stage.open()];
  stage.world.startAgent(agent, "claude");
  const made = ({ id }: typeof shell) =>
    stage.double.server().requests.filter(({ method, params }) => {
      return method === "pane.read" && params.pane_id === id && params.source === "detection";
    }).length;
  const reads = async (pane: typeof shell, passes: number) => {
    const before = made(pane);
    for (let pass = 0; pass < passes; pass++) await stage.provider.list(signal);
    return made(pane) - before;
  };
  expect(await reads(shell, 3)).toBe(3);
  now += 61_000;
  expect(await reads(shell, 9)).toBe(3);
  expect(await reads(agent, 9)).toBe(9);
  // A change in the listing or on the screen ends the rest.
  stage.world.setTitle(shell, "another");
  expect(await reads(shell, 1)).toBe(1);
  shell.screen.show("moved");
  await reads(shell, 3);
  expect(await reads(shell, 3)).toBe(3);
});

test("an event and a new event stream each ask for a pass", async () => {
  await using stage = await wspStage();
  const pane = stage.open();
  let wakes = 0;
  stage.provider.start(() => void wakes++);
  await eventsOf(stage);
  expect(stage.provider.events()).toEqual({ supported: true, active: true, minimum_protocol: 20 });
  await until(() => wakes >= 1);
  stage.world.startAgent(pane, "claude", "blocked");
  // Another set of agents needs another stream, whose start asks for a pass.
  await until(async () => {
    await only(stage);
    return wakes >= 2;
  });
  const before = wakes;
  stage.world.setState(pane, "working");
  await until(() => wakes > before);
});

test("a change of a title asks for no pass, and is listed in the next one", async () => {
  await using stage = await wspStage();
  const pane = stage.open();
  stage.provider.start(() => {});
  await eventsOf(stage);
  const [{ params } = { params: {} }] = stage.double
    .server()
    .requests.filter(({ method }) => method === "events.subscribe");
  expect(JSON.stringify(params)).not.toContain("pane.updated");
  stage.world.setTitle(pane, "another");
  expect((await only(stage)).title).toBe("another");
});

test("another set of agents gets another event stream, without a gap between the two", async () => {
  await using stage = await wspStage();
  const pane = stage.open();
  stage.provider.start(() => {});
  await eventsOf(stage);
  stage.world.startAgent(pane, "claude", "blocked");
  await only(stage);
  expect(stage.provider.events().active).toBe(true);
  const subscribed = () =>
    stage.double.server().requests.filter(({ method }) => method === "events.subscribe");
  await until(async () => {
    await only(stage);
    return subscribed().length === 2;
  });
  await until(() => stage.double.server().streams === 1);
  expect(JSON.stringify(subscribed()[1])).toContain(pane.id);
  expect(stage.provider.events().active).toBe(true);
});

test.each(["no json\n", '{"event":5,"data":{}}\n', '{"data":{}}\n', "[]\n"])(
  "an event stream that says %p is dropped and replaced",
  async (line) => {
    await using stage = await wspStage();
    stage.open();
    stage.provider.start(() => {});
    await eventsOf(stage);
    stage.double.server().writeToStreams(line);
    await until(() => (stage.provider.events().active ? null : true));
    await eventsOf(stage);
  },
);

test.each([
  ["another workspace", true],
  ["another tab", false],
])("a waiting pane that moves to %s keeps its prompt's time, and is no news", async (_, far) => {
  await using stage = await watched((each) => {
    runAgent(each, permission("Do you want to proceed?"), "blocked");
    each.open();
  });
  const { world, hub } = stage;
  const [pane] = world.panes;
  const before = hub.current.panes[0];
  const seen: Transition[] = [];
  hub.subscribe(({ transitions }) => void seen.push(...transitions));
  const space = far ? world.openWorkspace("other") : pane?.tab.workspace;
  if (!pane || !space) throw new Error("no pane");
  world.move(pane.id, world.openTab(space).id);
  const after = await stage.sees((panes) =>
    panes.some(
      ({ id }) =>
        id !== before?.id && panes.length === 2 && panes.every((each) => each.id !== before?.id),
    ),
  );
  expect(seen).toMatchObject([{ before: {}, pane: {} }]);
  const moved = after.find(({ status }) => status === "needs_input");
  expect(moved?.prompt_since).toBe(before?.prompt_since ?? -1);
  expect(moved?.action_guard?.endpoint_revision).not.toBe(before?.action_guard?.endpoint_revision);
});

test("a pane that moves during a listing is in that same listing", async () => {
  await using stage = await wspStage();
  const [pane, other] = [stage.open(), stage.open()];
  const before = (await stage.provider.list(signal))[0];
  const rule = { method: "pane.read", pane: other.id };
  stage.double.session().fail({ delayMs: 100 }, rule);
  const listing = stage.provider.list(signal);
  setTimeout(() => stage.world.move(pane.id, stage.world.openTab(pane.tab.workspace).id), 40);
  const panes = await listing;
  expect(panes).toHaveLength(2);
  expect(panes.map(({ identity }) => identity)).toContain(before?.identity ?? "");
  expect(panes.map(({ id }) => id)).not.toContain(before?.id);
});
