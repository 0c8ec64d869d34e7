import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Finding, Prompt } from "../../src/detect/finding.ts";
import type { Screen } from "../../src/detect/region.ts";
import { PaneState, type PaneStatus } from "../../src/protocol/pane.ts";
import { observe } from "../../src/terminal/observe.ts";
import { NO_NOTES } from "../../src/terminal/pane-notes.ts";
import { NO_ATTENTION } from "../../src/terminal/status.ts";
import type { ObserveInput, PaneObservation } from "../../src/terminal/record.ts";
import { listedPane } from "../support/pane.ts";
import { finding, option, prompt } from "../support/detect-input.ts";
import { forAll } from "../support/laws.ts";

const listed = listedPane({ title: "a title", command: "vim", cwd: "/home", window: "work" });

const screenOf = (text: string): Screen => ({
  lines: text.split("\n").map((line) => ({ text: line, runs: [] })),
});

const yesNo = (question: string, members: Partial<Prompt> = {}) =>
  prompt(question, { options: [option("1", "Yes", { selected: true })], ...members });

const look = ({
  screen = screenOf("text"),
  at = 100,
  ...members
}: Partial<ObserveInput> = {}): ObserveInput => ({
  at,
  monotonic: at,
  pane: listed,
  screen,
  display: screen,
  composer: null,
  mayAct: true,
  finding: finding(),
  captureLines: 200,
  override: null,
  nameOf: () => "a name",
  interacted: 0,
  isAwaited: false,
  provider: "mux",
  host: undefined,
  notes: NO_NOTES,
  isFresh: true,
  ...NO_ATTENTION,
  ...members,
});

/** The record that the next look is compared with. */
const recordOf = (now: ObserveInput, before: PaneObservation | null): PaneObservation => ({
  ...now,
  ...observe(now, before),
});

/** The time, text and finding of a look. */
const on = (at: number, text: string, meaning = finding()) => ({
  at,
  screen: screenOf(text),
  finding: meaning,
});

function records(...looks: Partial<ObserveInput>[]): PaneObservation[] {
  const all: PaneObservation[] = [];
  for (const members of looks) all.push(recordOf(look(members), all.at(-1) ?? null));
  return all;
}
function follow(...looks: Partial<ObserveInput>[]): PaneObservation {
  const last = records(...looks).at(-1);
  if (!last) throw new Error("nothing was sighted");
  return last;
}
const statuses = (...looks: Partial<ObserveInput>[]): string =>
  records(...looks)
    .map(({ state }) => state.status)
    .join(" ");

describe("the published state of a pane", () => {
  test("has title and names cut to 512 characters, with no half of a surrogate pair", () => {
    const long = `${"t".repeat(511)}🙂${"t".repeat(3_000)}`;
    const node = { kind: "pane", id: "%1", label: long, position: 0 };
    const pane = { ...listed, title: long, window: long, hierarchy: [node] };
    const { state } = follow({ pane, nameOf: () => long });
    const cut = `${"t".repeat(511)}\ufffd`;
    expect([state.title, state.window, state.name]).toEqual([cut, cut, cut]);
    expect(state.hierarchy).toEqual([{ ...node, label: cut }]);
  });

  test("fits the contract's schema", () => {
    const { state } = follow({ finding: finding({ prompt: yesNo("Sure?") }) });
    expect(PaneState.strict().parse(state)).toEqual(state);
    expect(state).toMatchObject({ title: "a title", command: "vim", cwd: "/home", window: "work" });
  });

  test("has as many last lines as the settings ask for, and a preview of the last six with text", () => {
    const text = "0\n1\n\n3\n  \n5\n6\n\n8\n9";
    const { state } = follow({ screen: screenOf(text), captureLines: 9 });
    expect(state.lines).toEqual(["1", "", "3", "  ", "5", "6", "", "8", "9"]);
    expect(state.preview).toEqual(["1", "3", "5", "6", "8", "9"]);
  });

  test("counts as unchanged where more or fewer lines of the same output are captured", () => {
    const rows = Array.from({ length: 300 }, (_, row) => `row ${row}`);
    // The first captured line may be the end of a wrapped line.
    const read = (at: number, captureLines: number, end = rows) => ({
      ...{ at, captureLines },
      screen: screenOf(["0", ...end.slice(1 - captureLines)].join("\n")),
    });
    const fewer = [read(100, 200), read(110, 80)];
    const { state } = follow(...fewer);
    expect(state).toMatchObject({ changed: false, updated: 100, status: "idle" });
    expect(state.lines.slice(0, 2)).toEqual(["0", "row 221"]);
    const more = follow(...fewer, read(120, 250));
    expect(more.state).toMatchObject({ changed: false, updated: 100, status: "idle" });
    expect(more.state.lines).toHaveLength(250);
    // Until the next capture the lines of the last one stay.
    const [, before] = fewer;
    const reread = follow(...fewer, { ...before, at: 115, captureLines: 250 }, read(120, 250));
    expect(reread.state).toEqual(more.state);
    const printed = follow(...fewer, read(120, 250, [...rows, "more"]));
    expect(printed.state).toMatchObject({ changed: true, updated: 120, status: "working" });
  });

  test("keeps the age of its deciding line while that line moves, and starts it anew for other text", () => {
    const at = (text: string, line: number | null) => ({
      screen: screenOf(text),
      finding: finding({ line }),
    });
    const record = follow(
      { at: 100, ...at("Sure?\n$", null) },
      { at: 101, ...at("Sure?\n$", 0) },
      { at: 105, ...at("more\nSure?", 1) },
    );
    expect(record).toMatchObject({ decidingLine: "Sure?", decidingSince: 101 });
    expect(recordOf(look({ at: 106, ...at("Sure?\nNo?", 1) }), record).decidingSince).toBe(106);
  });

  test("is the same object while the pane is unchanged, even when it was captured again", () => {
    const first = follow({ at: 100 }, { at: 103 });
    const again = recordOf(look(on(105, "text")), first);
    expect(again.state).toBe(first.state);
    expect(recordOf(look({ at: 106, isFresh: false }), again).state).not.toBe(first.state);
  });

  test("has an error's message up to the next gap as evidence, of work one line", () => {
    const screen = screenOf("> go\n\n● API Error: 529\n  Overloaded.\n\n───\n❯ Send again\n───");
    const failed = { screen, finding: finding({ status: "error", line: 2 }) };
    const evidence = ["● API Error: 529", "  Overloaded."];
    expect(follow(failed).state.evidence).toEqual(evidence);
    const covered = finding({ keepsPrevious: true });
    const held = follow(failed, { screen: screenOf("help"), finding: covered });
    expect(held.state).toMatchObject({ status: "error", evidence });
    expect(follow(failed, { finding: finding({ line: 2 }) }).state.evidence).toEqual([]);
    const working = { screen, finding: finding({ status: "working", line: 3 }) };
    expect(follow(working).state.evidence).toEqual(["  Overloaded."]);
  });

  test("keeps its menu and evidence objects when only the rest changes", () => {
    const asking = () => finding({ status: "needs_input", prompt: yesNo("Sure?") });
    const before = follow({ finding: asking() });
    const after = recordOf(look({ screen: screenOf("more"), finding: asking() }), before);
    expect(after.state).not.toBe(before.state);
    expect(after.state.menu).toBe(before.state.menu);
    expect(after.state.evidence).toBe(before.state.evidence);
    expect(after.state.legacy_guard).toBe(before.state.legacy_guard);
  });
});

describe("the change of a pane", () => {
  test("is true for the first capture, and then only for other text", () => {
    const first = follow({ at: 100 });
    expect(first.state).toMatchObject({ changed: true, updated: 100 });
    const same = recordOf(look(on(101, "text")), first);
    expect(same.state).toMatchObject({ changed: false, updated: 100 });
    const other = recordOf(look(on(102, "other")), same);
    expect(other.state).toMatchObject({ changed: true, updated: 102 });
  });

  test("is false where only colours differ, while the lines are the new ones", () => {
    const first = follow({ at: 100 });
    const lines = [
      { text: "text", runs: [{ start: 0, length: 4, style: { bold: true as const } }] },
    ];
    const coloured = recordOf(look({ at: 101, screen: { lines } }), first);
    expect(coloured.state).toMatchObject({ changed: false, updated: 100 });
    expect(coloured.lines).toBe(lines);
  });
});

describe("work within the last two seconds", () => {
  test("is not shown by a first capture alone", () => {
    expect(statuses(on(100, "a"), on(100.7, "a"))).toBe("idle idle");
  });

  test("is shown by changed text of a generic pane", () => {
    expect(statuses(on(100, "a"), on(101, "b"), on(102.9, "b"), on(103, "b"))).toBe(
      "idle working working idle",
    );
    expect(follow(on(100, "a"), on(101, "b")).state.reason).toBe("settle.changed");
  });

  test("ends at once at a certain idle, where typing is no work either", () => {
    const idle = finding({ idleIsCertain: true, rule: "agent_a.composer" });
    const working = finding({ status: "working", rule: "agent_a.activity" });
    expect(statuses(on(100, "a", working), on(100.1, "b", idle), on(100.2, "a", idle))).toBe(
      "working idle idle",
    );
  });

  test("bridges the gap between two frames of an agent's spinner", () => {
    const agent = { kind: "agent_a" } as const;
    const working = finding({ ...agent, status: "working" });
    const gap = finding(agent);
    expect(
      statuses(on(100, "a", working), on(101, "a", gap), on(101.9, "a", gap), on(102.1, "a", gap)),
    ).toBe("working working working idle");
    const held = follow(on(100, "a", working), on(101, "a", gap));
    expect(held.state.reason).toBe("settle.held");
  });

  test("is not shown by a shell that echoes what is typed", () => {
    const shell = finding({ kind: "shell" });
    expect(statuses(on(100, "a", shell), on(101, "b", shell))).toBe("idle idle");
  });

  test("is shown by a progress bar, unless the screen tells otherwise", () => {
    const pane = { ...listed, hasProgress: true };
    const findings = [
      finding(),
      finding({ kind: "shell" }),
      finding({ idleIsCertain: true }),
      finding({ status: "needs_input" }),
    ];
    const states = findings.map((each) => follow({ pane, finding: each }).state);
    expect(states.map(({ status }) => status)).toEqual(["working", "idle", "idle", "needs_input"]);
    expect(states[0]?.reason).toBe("settle.progress");
  });

  test("does not delay a prompt or an error", () => {
    for (const status of ["needs_input", "error"] as const)
      expect(statuses(on(100, "a"), on(101, "b", finding({ status })))).toBe(`idle ${status}`);
  });

  test("a dialog that is being redrawn keeps the prompt from before until it has lasted", () => {
    const dialog = finding({ status: "needs_input", prompt: yesNo("Run it?") });
    const half = finding({
      status: "needs_input",
      rule: "gemini.waiting.title",
      prompt: yesNo("Run"),
      unsettled: "drawing",
    });
    const held = follow(on(100, "a", dialog), on(101, "b", half));
    expect(held.state).toMatchObject({
      status: "needs_input",
      reason: "settle.drawing",
      question: "Run it?",
      prompt_since: 100,
    });
    const whole = recordOf(look(on(101.1, "a", dialog)), held);
    expect(whole.state).toMatchObject({ question: "Run it?", prompt_since: 100 });
    const later = recordOf(look(on(101.6, "b", half)), held);
    expect(later.state).toMatchObject({ question: "Run", prompt_since: 101.6 });
    // A dialog that is new is not published yet.
    const first = on(100, "a", finding({ status: "working" }));
    const soon = follow(first, on(100.1, "b", half));
    expect(soon.state).toMatchObject({ status: "working", question: null, prompt_since: null });
  });

  test("a pane of another size keeps its state until its program has redrawn", () => {
    const asks = (question: string, evidence: string[]) =>
      finding({ status: "needs_input", prompt: yesNo(question, { evidence }) });
    const cut = asks("it?", []);
    const narrow = { ...listed, width: listed.width - 20 };
    const held = follow(
      on(100, "a", asks("Run it?", ["rm -rf a b"])),
      { ...on(101, "b", cut), pane: narrow },
      { ...on(101.4, "b"), pane: narrow },
    );
    expect(held.state).toMatchObject({
      status: "needs_input",
      reason: "settle.drawing",
      question: "Run it?",
    });
    const wrapped = asks("Run it?", ["rm -rf", "a b"]);
    const next = look({ ...on(101.5, "a", wrapped), pane: narrow });
    // The evidence wraps elsewhere: it is still the same prompt.
    expect(observe(next, held).state).toMatchObject({
      status: "needs_input",
      evidence: ["rm -rf", "a b"],
      prompt_since: 100,
    });
    const quiet = follow(
      on(100, "a"),
      { ...on(101, "b"), pane: narrow },
      { ...on(101.1, "a"), pane: narrow },
      { ...on(101.6, "a"), pane: narrow },
    );
    expect(quiet.state.status).toBe("idle");
  });

  test("a title that alone says that a program waits counts once it has lasted", () => {
    const dialog = finding({ status: "needs_input", prompt: yesNo("Run it?") });
    const title = finding({
      status: "needs_input",
      rule: "agent_b.waiting.title",
      prompt: yesNo("What nobody can read"),
      unsettled: "title",
    });
    const steps = [on(100, "a", dialog), on(100.1, "b", title), on(101, "a", title)];
    const held = follow(...steps);
    expect(held.state).toMatchObject({ status: "working", reason: "settle.title", question: null });
    expect(held.state.legacy_guard?.prompt_fingerprint).toBeNull();
    const later = recordOf(look(on(101.1, "a", title)), held);
    expect(later.state).toMatchObject({
      status: "needs_input",
      reason: "agent_b.waiting.title",
      question: "What nobody can read",
      prompt_since: 101.1,
    });
    // After another finding the wait begins again, and the status before is kept.
    const idle = finding({ idleIsCertain: true });
    const again = recordOf(look(on(105, "a", idle)), later);
    const { state } = recordOf(look(on(105.5, "b", title)), again);
    expect(state).toMatchObject({ status: "idle", reason: "settle.title" });
    // A new pane has no status to keep.
    expect(follow(on(100, "a", title)).state.status).toBe("needs_input");
  });

  test("has shown a sign of work for any findings", () => {
    const kinds = fc.constantFrom("generic", "shell", "agent_a");
    const status = fc.constantFrom("idle", "working", "needs_input", "error");
    const step = fc.record({
      after: fc.double({ min: 0.01, max: 5, noNaN: true }),
      text: fc.constantFrom("a", "b"),
      finding: fc.record({ kind: kinds, status, idleIsCertain: fc.boolean() }),
    });
    forAll([fc.array(step, { minLength: 1, maxLength: 30 })], (steps) => {
      let at = 100;
      let sign = -Infinity;
      let record: PaneObservation | null = null;
      for (const { after, text, finding: members } of steps) {
        at += after;
        const before: PaneObservation | null = record;
        record = recordOf(
          look({ at, screen: screenOf(text), finding: finding(members as Partial<Finding>) }),
          before,
        );
        const { state } = record;
        if (members.status === "working" || (before && state.changed)) sign = at;
        if (members.status !== "idle") expect(state.status).toBe(members.status as PaneStatus);
        else if (members.idleIsCertain) expect(state.status).toBe("idle");
        else if (state.status === "working") expect(at - sign).toBeLessThan(2);
      }
    });
  });
});

describe("the time of a status", () => {
  test("a status and a prompt keep the time of their first sight", () => {
    const asking = (question: string) =>
      finding({ status: "needs_input", prompt: yesNo(question) });
    const first = follow({ at: 100 }, { at: 110, finding: asking("One?") });
    expect(first.state).toMatchObject({ status_since: 110, prompt_since: 110 });
    const still = recordOf(look({ at: 120, finding: asking("One?") }), first);
    expect(still.state).toMatchObject({ status_since: 110, prompt_since: 110 });
    const next = recordOf(look({ at: 130, finding: asking("Two?") }), still);
    expect(next.state).toMatchObject({ status_since: 110, prompt_since: 130 });
    const over = recordOf(look({ at: 140 }), next);
    expect(over.state).toMatchObject({ status_since: 140, prompt_since: null });
    expect(over.state.legacy_guard).toEqual({
      prompt_fingerprint: null,
      options_fingerprint: null,
      selected: null,
    });
  });
});

describe("an overlay", () => {
  const overlay = () => finding({ keepsPrevious: true, rule: "agent_a.transcript" });

  test("keeps the status and the prompt from before it, and names its own rule", () => {
    const asking = finding({ status: "needs_input", prompt: yesNo("One?") });
    const { state } = follow({ finding: asking }, { screen: screenOf("help"), finding: overlay() });
    expect(state).toMatchObject({
      status: "needs_input",
      question: "One?",
      reason: "agent_a.transcript",
      lines: ["help"],
    });
  });

  test("does not make work of the command that opened it", () => {
    const idle = finding({ idleIsCertain: true, rule: "agent_a.idle" });
    expect(
      statuses(
        { at: 100, finding: idle },
        on(101, "/sta"),
        on(102, "/status"),
        on(102.5, "a panel", overlay()),
        on(110, "a panel", overlay()),
      ),
    ).toBe("idle working working idle idle");
  });

  test("keeps the work behind it that only streams text", () => {
    expect(
      statuses(
        { at: 100, finding: finding({ status: "working" }) },
        on(101, "a word"),
        on(102, "help", overlay()),
        on(110, "help", overlay()),
      ),
    ).toBe("working working working working");
  });

  test("opened after an answer does not bring the answered prompt back", () => {
    const asking = finding({ status: "needs_input", prompt: yesNo("One?") });
    const { state } = follow(
      { at: 100, finding: asking },
      on(101, "answered"),
      on(102, "help", overlay()),
    );
    expect(state).toMatchObject({ status: "idle", question: null });
  });

  test("of a pane never seen before is idle", () => {
    expect(follow({ finding: overlay() }).state.status).toBe("idle");
  });

  test("keeps work however long it lasts, and ends with what the screen behind it shows", () => {
    const working = finding({ status: "working" });
    expect(
      statuses(
        { at: 100, finding: working },
        { at: 200, finding: overlay() },
        { at: 300, finding: overlay() },
        { at: 301, finding: finding({ idleIsCertain: true }) },
      ),
    ).toBe("working working working idle");
  });
});

describe("an agent that has finished", () => {
  const agent = { kind: "agent_a", agent: { id: "agent_a", label: "Claude Code" } } as const;
  const working = finding({ ...agent, status: "working", rule: "agent_a.spinner" });
  const idle = finding({ ...agent, idleIsCertain: true });
  const screen = screenOf("done");
  const work = [0, 15].map((at) => ({ at, finding: working, screen }));
  const rest = [16, 19, 20].map((at) => ({ at, finding: idle, screen }));

  test("is published with the time of its end, and stays the same object", () => {
    const done = follow(...work, ...rest);
    expect(done.state.finished_at).toBe(16);
    expect(recordOf(look({ at: 21, finding: idle, screen }), done).state).toBe(done.state);
  });

  test("has no time of its end any more once somebody has looked", () => {
    const seenAt = { at: 21, finding: idle, screen, seenAt: 20.5 };
    const over = follow(...work, ...rest, seenAt);
    expect(over.state.finished_at).toBeNull();
    expect(recordOf(look({ ...seenAt, at: 22 }), over).state).toBe(over.state);
  });
});

test("a pane is published with its notes and its machine", () => {
  const queued = { revision: 1, count: 2, held: null, lost: false, sends_now: false };
  const notes = { ...NO_NOTES, queued };
  expect(follow({}).state).not.toHaveProperty("host");
  const delivering = follow({}, { at: 101, host: null, notes });
  expect(delivering.state).toMatchObject({ host: null, queued });
  const screen = delivering.screen;
  expect(recordOf(look({ at: 102, screen, host: null, notes }), delivering).state).toBe(
    delivering.state,
  );
  expect(recordOf(look({ at: 102, screen, notes }), delivering).state).not.toHaveProperty("host");
});
