import { join } from "node:path";
import { describe, expect, spyOn, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import type { InputReason, InputRequest } from "../../src/protocol/input.ts";
import type { ActionGuard } from "../../src/protocol/pane.ts";
import { until } from "../support/until.ts";
import {
  composer,
  permission,
  runAgent,
  watched,
  working,
  type Watched,
} from "../support/wsp/watched.ts";

const SCREENS = join(import.meta.dir, "../fixtures/screens");
const ASKED = "Do you want to proceed?";

/** A permission dialog that closes for a digit or Enter and Escape. */
async function asking(more: Parameters<typeof watched>[1] = {}): Promise<Watched> {
  const stage = await watched((each) => void runAgent(each, permission(ASKED), "blocked"), more);
  const { pane } = stage;
  pane.program = (_, bytes) => {
    if (/[123\r\x1b]/.test(bytes)) pane.screen.show(composer());
  };
  return stage;
}

const idle = (draft = "", more: Parameters<typeof watched>[1] = {}): Promise<Watched> =>
  watched((each) => void runAgent(each, composer(draft)), more);

function seen(stage: Watched): ActionGuard {
  const { action_guard } = stage.only();
  if (!action_guard) throw new Error("the pane has no guard");
  return action_guard;
}

function optionId({ only }: Watched, key: string): string {
  return only().menu.find((option) => option.key === key)?.id ?? "";
}

/** A request for the first option, under the published guard. */
const yes = (stage: Watched): Partial<InputRequest> => ({
  ...{ operation: "select", option_id: optionId(stage, "1"), id: stage.only().id },
  expected: seen(stage),
});

describe("the shape of a guarded request", () => {
  test.each<[Partial<InputRequest>, string]>([
    [{ operation: "key" }, "key_required"],
    [{ operation: "select" }, "option_id_required"],
    [{ operation: "text" }, "text_required"],
    [{ operation: "text", text: "" }, "text_required"],
    [{ operation: "text", text: "x", key: "Enter" }, "fields_do_not_match_operation"],
    [{ operation: "key", key: "Enter", text: "x" }, "fields_do_not_match_operation"],
    [{ operation: "select", option_id: "o", enter: true }, "fields_do_not_match_operation"],
    [{ operation: "text", text: "x", expected: { endpoint_revision: "r" } }, "guard_required"],
    [{ operation: "key", key: "Enter", expected: { endpoint_revision: "r" } }, "guard_required"],
  ])("%j is %s", async (request, reason) => {
    await using stage = await idle();
    expect(await stage.ask(request)).toEqual({ status: "invalid", reason });
    expect(stage.pane.received).toBe("");
  });

  test("null and enter: false count as absent members", async () => {
    await using stage = await idle();
    const request = { operation: "key", key: "Escape", text: null, enter: false } as const;
    expect(await stage.ask(request)).toBe("accepted");
  });

  test("an id that was never published is unknown_pane, whatever its form", async () => {
    await using stage = await idle();
    for (const id of ["h:none", "%1", "cfg:x", stage.only().target, stage.pane.id])
      expect(await stage.ask({ id, text: "x", expected: seen(stage) })).toEqual({
        status: "not_found",
        reason: "unknown_pane",
      });
  });
});

describe("an answer by guarded input", () => {
  test("an answer chooses an option by its id, and the program gets the key once", async () => {
    await using stage = await asking();
    const answer = yes(stage);
    expect(await stage.ask(answer)).toBe("accepted");
    expect(stage.pane.received).toBe("1");
    expect(stage.double.violations).toEqual([]);
  });

  test("an answer over the socket is sent by agent.send_keys", async () => {
    await using stage = await asking();
    await stage.ask(yes(stage));
    const sends = stage.double.server().requests.filter(({ method }) => method.includes("send"));
    expect(sends).toEqual([
      { method: "agent.send_keys", params: { target: stage.pane.id, keys: ["1"] } },
    ]);
    expect(stage.double.calls.filter(({ args }) => args[1]?.startsWith("send"))).toEqual([]);
  });

  test("an answer without the socket is sent by the executable", async () => {
    await using stage = await asking({ reads: "cli" });
    await stage.ask(yes(stage));
    const sends = stage.double.calls.filter(({ args }) => args[1]?.startsWith("send"));
    expect(sends.map(({ args }) => args)).toEqual([
      ["agent", "send-keys", stage.pane.id, "1", "--session", "demo"],
    ]);
  });

  test("an answer is not sent over a socket that the session has handed off", async () => {
    await using stage = await asking();
    const request = yes(stage);
    stage.double.session().fail({ delayMs: 100 }, { method: "pane.get" });
    const answer = stage.ask(request);
    setTimeout(() => stage.double.handOff(), 50);
    expect(await answer).toMatchObject({ reason: "endpoint_stale" });
    expect(stage.pane.received).toBe("");
  });

  test("every option has its own id, and an unknown option id is refused", async () => {
    await using stage = await asking();
    const ids = stage.only().menu.map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(await stage.ask({ operation: "select", option_id: "o:other" })).toMatchObject({
      reason: "options_changed",
    });
    expect(stage.pane.received).toBe("");
  });

  test("the log names its pane by the place and never by the id, sent or refused", async () => {
    await using stage = await asking();
    const { id } = stage.only();
    await stage.ask(yes(stage));
    stage.world.close(stage.pane.id);
    await stage.ask({ id, operation: "key", key: "Escape", expected: { endpoint_revision: "r" } });
    const actions = stage.log.filter((line) => line.includes("action:"));
    expect(actions).toHaveLength(2);
    for (const line of actions) {
      expect(line).toContain('"demo › main › 1 › 1"');
      expect(line).not.toContain(id);
    }
  });

  test("an answer is sent once for an idempotency key, and another body under the key is refused", async () => {
    await using stage = await asking();
    const request = { ...yes(stage), idempotency_key: "k" };
    const outcomes = await Promise.all([1, 2, 3].map(() => stage.ask(request)));
    expect(outcomes).toEqual(["accepted", "accepted", "accepted"]);
    expect(await stage.ask(request)).toBe("accepted");
    // Null and `enter: false` mean the same as absent members.
    expect(await stage.ask({ ...request, text: null, key: null, enter: false })).toBe("accepted");
    expect(stage.pane.received).toBe("1");
    expect(await stage.ask({ ...request, option_id: "o:another" })).toMatchObject({
      reason: "idempotency_key_reused",
    });
  });

  test("an answer is refused under the guard of an earlier prompt, and the refusal has the current guard", async () => {
    await using stage = await asking();
    const request = yes(stage);
    const before = seen(stage);
    stage.pane.screen.show(permission("Do you want to delete it?"));
    await stage.sees(
      ([pane]) => pane?.action_guard?.prompt_fingerprint !== before.prompt_fingerprint,
    );
    const refused = await stage.ask({ ...request, id: stage.only().id, expected: before });
    expect(refused).toMatchObject({
      reason: "prompt_changed",
      current: stage.only().action_guard,
    });
    expect(stage.pane.received).toBe("");
  });

  test.each<[string, InputReason, (stage: Watched) => void]>([
    [
      "when the prompt changed between publication and send",
      "prompt_changed",
      ({ pane }) => pane.screen.show(permission("Do you want to delete it?")),
    ],
    [
      "when the focus has moved",
      "options_changed",
      ({ pane }) => pane.screen.show(permission(ASKED, 2)),
    ],
    [
      // Only the process differs: label and screen are the same.
      "when another agent runs in the pane",
      "revision_stale",
      ({ world, pane }) => world.startAgent(pane, "claude", "blocked"),
    ],
    [
      "when the agent ends at the moment of sending",
      "revision_stale",
      ({ pane }) => void (pane.hasLostAgent = true),
    ],
    ["when the session was restarted", "endpoint_stale", ({ double }) => double.restart()],
  ])("an answer is refused %s", async (_, reason, happen) => {
    await using stage = await asking();
    const request = yes(stage);
    happen(stage);
    expect(await stage.ask(request)).toMatchObject({ reason });
    expect(stage.pane.received).toBe("");
  });

  test("an answer is refused when the pane has moved, before and after the next pass", async () => {
    await using stage = await asking();
    const request = yes(stage);
    const id = stage.only().id;
    const expected = seen(stage);
    stage.open();
    stage.open({ workspace: "other" });
    stage.world.move(stage.pane.id, "w2:t1");
    expect(await stage.ask({ ...request, id, expected })).toMatchObject({
      reason: "endpoint_moved",
    });
    await stage.sees((panes) => panes.every((pane) => pane.id !== id));
    expect(await stage.ask({ ...request, id, expected })).toMatchObject({
      reason: "endpoint_moved",
    });
    expect(stage.pane.received).toBe("");
  });

  test("an answer is refused with the cause session_unavailable while the session is stopped", async () => {
    await using stage = await asking();
    const request = yes(stage);
    stage.double.end("demo", "stopped");
    const refusal = { reason: "endpoint_stale", cause: "session_unavailable" };
    expect(await stage.ask(request)).toMatchObject(refusal);
    await stage.sees(([pane]) => pane?.stale === true);
    expect(await stage.ask(request)).toMatchObject(refusal);
    expect(stage.pane.received).toBe("");
  });

  test("an answer is refused for a pane that the last pass could not read, though it can be read now", async () => {
    await using stage = await asking();
    const request = yes(stage);
    stage.double.session().fail("close", { method: "pane.read" });
    await stage.sees(([pane]) => pane?.actionable === false);
    expect(stage.poller.health().status).toBe("ready");
    expect(await stage.ask(request)).toMatchObject({ reason: "endpoint_stale" });
    expect(stage.pane.received).toBe("");
  });

  test("an answer is refused if the look before it finds the pane not actionable", async () => {
    await using stage = await asking();
    const read = stage.poller.read.bind(stage.poller);
    using _ = spyOn(stage.poller, "read").mockImplementation(async (id) => {
      const now = await read(id);
      return now && { ...now, state: { ...now.state, actionable: false } };
    });
    expect(await stage.ask(yes(stage))).toMatchObject({ reason: "endpoint_stale" });
    expect(stage.pane.received).toBe("");
  });

  test("a full disk is reported as storage, also when the pane has moved", async () => {
    await using stage = await asking();
    const full = new AppError("storage", "the disk is full");
    using _read = spyOn(stage.poller, "read").mockRejectedValue(full);
    using _fate = spyOn(stage.provider, "fateOf").mockReturnValue("moved");
    expect(await stage.ask(yes(stage))).toEqual({ status: "storage", reason: "the disk is full" });
  });

  test("an answer is refused while its provider is degraded", async () => {
    await using stage = await asking();
    const degraded = { ...stage.poller.health(), status: "degraded" } as const;
    using _ = spyOn(stage.poller, "health").mockReturnValue(degraded);
    expect(await stage.ask(yes(stage))).toMatchObject({ reason: "endpoint_stale" });
    expect(stage.pane.received).toBe("");
  });

  test("an answer is accepted while the mark above the dialog blinks", async () => {
    await using stage = await asking();
    for (const [number, mark] of ([" ", "●", " ", "●"] as const).entries()) {
      const question = `Do you want to run number ${number}?`;
      stage.pane.screen.show(permission(question, 1, mark === "●" ? " " : "●"));
      await stage.sees(([pane]) => pane?.question === question);
      const request = yes(stage);
      stage.pane.screen.show(permission(question, 1, mark));
      expect(await stage.ask(request)).toBe("accepted");
    }
    expect(stage.pane.received).toBe("1111");
  });

  test("a send without confirmation is delivery_unknown, and is never sent again", async () => {
    await using stage = await asking();
    stage.double.session().fail("close_after", { method: "agent.send_keys" });
    const request = { ...yes(stage), idempotency_key: "k" };
    const outcome = await stage.ask(request);
    expect(outcome).toMatchObject({ reason: "delivery_unknown" });
    expect(await stage.ask(request)).toEqual(outcome);
    expect(stage.pane.received).toBe("1");
  });

  test("a send that a frozen session takes up later is delivery_unknown, and arrives once", async () => {
    await using stage = await asking();
    const { double, pane } = stage;
    const session = double.session();
    const answer = session.answer.bind(session);
    let looks = 0;
    // The send follows the second look at the route.
    spyOn(session, "answer").mockImplementation((asked) => {
      if (asked.method === "pane.get" && ++looks === 2) double.freeze();
      return answer(asked);
    });
    const request = { ...yes(stage), idempotency_key: "k" };
    const outcome = await stage.ask(request);
    expect(outcome).toMatchObject({ reason: "delivery_unknown" });
    expect(pane.received).toBe("");
    double.thaw();
    await until(() => pane.received !== "");
    expect(await stage.ask(request)).toEqual(outcome);
    expect(pane.received).toBe("1");
  });

  test.each(["server_not_running", "protocol_mismatch"])(
    "a refusal of the tool with %s sends nothing",
    async (code) => {
      await using stage = await asking();
      stage.double
        .session()
        .fail({ error: { code, message: "no" } }, { method: "agent.send_keys" });
      const request = yes(stage);
      expect(await stage.ask(request)).toMatchObject({ reason: "endpoint_stale" });
      expect(stage.pane.received).toBe("");
    },
  );

  test("a pane that the tool does not know is refused within 100 ms", async () => {
    await using stage = await asking();
    const error = { code: "pane_not_found", message: "no" };
    stage.double.session().fail({ error }, { method: "agent.send_keys" });
    const request = yes(stage);
    const before = stage.nowMs();
    expect(await stage.ask(request)).toMatchObject({ reason: "endpoint_stale" });
    expect(stage.nowMs() - before).toBeLessThan(100);
    expect(stage.pane.received).toBe("");
  });

  const enter = (stage: Watched): Partial<InputRequest> => ({
    ...{ operation: "key", key: "Enter", id: stage.only().id },
    expected: seen(stage),
  });

  test.each([
    ["an option", "stays", yes, "1"],
    ["an option", "blinks meanwhile", yes, "1"],
    ["Enter", "stays", enter, "\r"],
  ] as const)(
    "a second answer by %s waits for the screen to change and is refused; the mark above the dialog %s",
    async (_by, mark, asked, arrives) => {
      await using stage = await asking();
      // A real program too shows the dialog for a while after its answer.
      stage.pane.program = (_, bytes) => {
        if (bytes !== arrives) return;
        if (mark !== "stays") stage.pane.screen.show(permission(ASKED, 1, " "));
        setTimeout(() => stage.pane.screen.show(composer()), 20);
      };
      const request = asked(stage);
      const [first, second] = await Promise.all([stage.ask(request), stage.ask(request)]);
      expect(first).toBe("accepted");
      expect(second).toMatchObject({ reason: "options_changed" });
      expect(stage.pane.received).toBe(arrives);
    },
  );
});

describe("a text by guarded input", () => {
  test("a text reaches a working agent whose spinner turns", async () => {
    await using stage = await watched((each) => void runAgent(each, working(1), "working"));
    const { pane } = stage;
    const request: Partial<InputRequest> = {
      ...{ text: "and then the docs", id: stage.only().id },
      expected: seen(stage),
    };
    expect(stage.only().status).toBe("working");
    for (const frame of [2, 3, 4]) {
      pane.screen.show(working(frame));
      expect(await stage.ask({ ...request })).toBe("accepted");
    }
    expect(pane.received).toBe("and then the docs".repeat(3));
  });

  type Happens = (stage: Watched, bytes: string) => void;
  test.each<[string, typed: string, outcome: object | "accepted", Happens]>([
    [
      "a text is not followed by Enter if another agent takes the pane after it",
      "hello",
      { reason: "partial_delivery_unknown" },
      ({ pane, world }, bytes) => {
        pane.screen.show(composer(bytes));
        world.startAgent(pane, "claude", "idle");
      },
    ],
    [
      "a text gets no second Enter if another agent has taken the pane",
      "hello\r",
      "accepted",
      ({ pane, world }, bytes) => {
        if (bytes === "\r") world.startAgent(pane, "claude", "idle");
        else pane.screen.show(composer(bytes));
      },
    ],
    [
      "a text counts as sent if the pane closes after its Enter",
      "hello\r",
      "accepted",
      ({ pane, world }, bytes) => {
        pane.screen.show(composer(bytes === "\r" ? "something else" : bytes));
        if (bytes === "\r") world.close(pane.id);
      },
    ],
  ])("%s", async (_, typed, outcome, happens) => {
    await using stage = await idle();
    stage.pane.program = (_pane, bytes) => happens(stage, bytes);
    const outcomeOfText = await stage.ask({ text: "hello", enter: true });
    if (typeof outcome === "string") expect(outcomeOfText).toBe("accepted");
    else expect(outcomeOfText).toMatchObject(outcome);
    expect(stage.pane.received).toBe(typed);
  });

  test("a text that stays in the input line is uncertain, after a second Enter", async () => {
    await using stage = await idle();
    stage.pane.program = (pane) => pane.screen.show(composer("hello"));
    expect(await stage.ask({ text: "hello", enter: true })).toMatchObject({
      reason: "partial_delivery_unknown",
    });
    expect(stage.pane.received).toBe("hello\r\r");
  });

  test("a text without enter is left in the input line", async () => {
    await using stage = await idle();
    stage.pane.program = (pane, bytes) => pane.screen.show(composer(bytes));
    expect(await stage.ask({ text: "hello" })).toBe("accepted");
    expect(stage.pane.received).toBe("hello");
  });

  test("a text is not typed beside a draft that was begun after publication", async () => {
    await using stage = await idle();
    stage.pane.screen.show(composer("half a thought"));
    expect(await stage.ask({ text: "hello" })).toMatchObject({ reason: "prompt_changed" });
    expect(stage.pane.received).toBe("");
  });

  test("a text is partial_delivery_unknown if its Enter is not confirmed", async () => {
    await using stage = await idle();
    stage.double.session().fail("close_after", { method: "agent.send_keys" });
    expect(await stage.ask({ text: "hello there", enter: true })).toMatchObject({
      reason: "partial_delivery_unknown",
    });
    expect(stage.pane.received).toBe("hello there\r");
  });

  test.each(["a\nb", "a\tb", "a\u001bb", "a\u007fb", "\u0003"])(
    "a text with a control character (%j) is refused",
    async (text) => {
      await using stage = await idle();
      expect(await stage.ask({ text })).toMatchObject({ reason: "capability_unavailable" });
      expect(stage.pane.received).toBe("");
    },
  );

  test("a text is in no argument of a process, which every user of the machine can read", async () => {
    await using stage = await idle();
    expect(await stage.ask({ text: "a longer secret" })).toBe("accepted");
    expect(stage.pane.received).toBe("a longer secret");
    expect(JSON.stringify(stage.double.calls)).not.toContain("secret");
  });

  test.each(["--session", "--session=x", "--remote", "--remote=x", "--remote-keybindings", "--"])(
    "a text that the executable would read as an option (%s) arrives by another command",
    async (text) => {
      await using stage = await idle("", { reads: "cli" });
      expect(await stage.ask({ text })).toBe("accepted");
      expect(stage.pane.received).toBe(text);
      for (const { args } of stage.double.calls) expect(args.slice(0, -2)).not.toContain(text);
    },
  );

  test("a text that the executable would cut out and cannot send as keys is refused, except over the socket", async () => {
    await using direct = await idle();
    expect(await direct.ask({ text: "--session=a b" })).toBe("accepted");
    expect(direct.pane.received).toBe("--session=a b");
    await using stage = await idle("", { reads: "cli" });
    expect(await stage.ask({ text: "--session=a b" })).toMatchObject({
      reason: "capability_unavailable",
    });
    expect(stage.pane.received).toBe("");
  });
});

describe("a key by guarded input", () => {
  test("each key of the pane's list arrives, another key is refused", async () => {
    await using stage = await idle();
    expect(await stage.ask({ operation: "key", key: "C-d" })).toMatchObject({
      reason: "capability_unavailable",
    });
    const keys = [
      ...["C-c", "C-u", "Enter", "Escape", "Tab", "BTab"],
      ...["Up", "Down", "Left", "Right", "Space", "BSpace"],
    ];
    expect(stage.only().capabilities.keys.toSorted()).toEqual(keys.toSorted());
    for (const key of keys) expect(await stage.ask({ operation: "key", key })).toBe("accepted");
    expect(stage.pane.received).toBe(
      "\u0003\u0015\r\u001b\t\u001b[Z\u001b[A\u001b[B\u001b[D\u001b[C \u007f",
    );
  });

  test("a key that takes the focused option needs a prompt fingerprint", async () => {
    await using stage = await idle();
    const { endpoint_revision } = seen(stage);
    for (const key of ["Enter", "Space"])
      expect(
        await stage.ask({ operation: "key", key, expected: { endpoint_revision } }),
      ).toMatchObject({ reason: "guard_required" });
    const down = { operation: "key", key: "Down", expected: { endpoint_revision } } as const;
    expect(await stage.ask(down)).toBe("accepted");
  });

  test("a question with several answers is finished by Down and Enter, a key at a time", async () => {
    const recorded = await Bun.file(join(SCREENS, "claude/question-multi/joined.txt")).text();
    const rows = recorded.trimEnd().split("\n");
    // Each option, and the button below them that no digit takes.
    const stops = rows.flatMap((row, at) => (/\d\. \[|^ +Submit$/.test(row) ? [at] : []));
    const focused = (at: number) => `❯${rows[at]?.slice(1)}`;
    let focus = 0;
    const screen = () =>
      rows
        .map((row, at) => {
          if (at === stops[focus]) return focused(at);
          return stops.includes(at) ? ` ${row.slice(1)}` : row;
        })
        .join("\n");
    await using stage = await watched((each) => void runAgent(each, recorded, "blocked"));
    const { pane } = stage;
    pane.program = (_, bytes) => {
      if (bytes === "\u001b[B") focus++;
      const isDone = bytes === "\r" && focus === stops.length - 1;
      pane.screen.show(isDone ? composer() : screen());
      if (isDone) stage.world.setState(pane, "idle");
    };
    for (const stop of stops.slice(1)) {
      const { options_fingerprint } = seen(stage);
      expect(await stage.ask({ operation: "key", key: "Down" })).toBe("accepted");
      // The lines are published before the finding is certain.
      await stage.sees(
        ([state]) =>
          state?.lines.includes(focused(stop)) === true &&
          state.action_guard?.options_fingerprint !== options_fingerprint,
      );
    }
    expect(await stage.ask({ operation: "key", key: "Enter" })).toBe("accepted");
    await stage.sees(([state]) => state?.question === null);
  });
});

test("a dialog with its focus drawn by colour is answered, and Enter is refused when the focus moved", async () => {
  const styled = (name: string) => Bun.file(join(SCREENS, "opencode", name, "styled.txt")).text();
  const [first, second] = [await styled("permission-bash"), await styled("focus-2")];
  await using stage = await watched((each) => {
    const pane = each.open();
    each.world.startAgent(pane, "opencode", "blocked");
    Object.assign(pane.screen, { alternate: true, rows: 40 });
    pane.screen.show(first);
  });
  const { pane } = stage;
  const focused = () => stage.only().menu.map(({ selected }) => selected);
  expect(focused()).toEqual([true, false, false]);
  const enter = { operation: "key", key: "Enter", expected: seen(stage) } as const;
  const row = (screen: string) => screen.split("\n").find((line) => line.includes("Allow once"));
  pane.screen.show(first.replace(row(first) ?? "", row(second) ?? ""));
  expect(await stage.ask(enter)).toMatchObject({ reason: "options_changed" });
  await stage.sees(() => focused()[1] === true);
  const take = { operation: "select", option_id: optionId(stage, "2") } as const;
  expect(await stage.ask(take)).toBe("accepted");
  expect(pane.received).toBe("\r");
});

describe("a client that may only answer", () => {
  const by = { grant: "pixel", name: "Pixel 9" };
  const client = { name: "Pixel 9", scope: "answer", by } as const;
  const act = async (stage: Watched, request: Partial<InputRequest>) => {
    const { id } = stage.only();
    const key = crypto.randomUUID();
    const defaults = {
      id,
      operation: "text",
      expected: seen(stage),
      idempotency_key: key,
    } as const;
    return stage.guarded.act({ ...defaults, ...request }, client).then(
      () => "accepted",
      (error: { kind?: string }) => error.kind,
    );
  };

  test("an answering client may choose an option, but may not send another key or a second line", async () => {
    await using stage = await asking();
    expect(await act(stage, { operation: "key", key: "Up" })).toBe("forbidden");
    expect(await act(stage, { text: "1\nls" })).toBe("forbidden");
    expect(await act(stage, { operation: "select", option_id: optionId(stage, "1") })).toBe(
      "accepted",
    );
  });

  test("an answering client may not write to an agent that asks nothing", async () => {
    await using stage = await idle();
    expect(await act(stage, { text: "do something else", enter: true })).toBe("forbidden");
    expect(await act(stage, { operation: "key", key: "Escape" })).toBe("forbidden");
  });
});
