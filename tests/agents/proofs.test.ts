import { expect, test } from "bun:test";
import fc from "fast-check";
import { associate } from "../../src/agents/binding/association.ts";
import type {
  CandidatePane,
  CandidateSession,
  HandBinding,
  Verdict,
} from "../../src/agents/binding/candidates.ts";
import { conversationOn, isDrawnAs } from "../../src/agents/binding/screen-words.ts";
import { candidatePane, candidateSession, memoryOf, NO_CLAIMS } from "./support/candidates.ts";

const SAID_A = ["Count the apples", "There are twelve apples."];
const SAID_B = ["Count the pears", "There are three pears."];
const onScreen = ([user, assistant]: readonly string[]) => [`› ${user}`, `• ${assistant}`];

function told(
  panes: readonly CandidatePane[],
  sessions: readonly CandidateSession[],
  { before = new Map<string, Verdict>(), hands = new Map<string, HandBinding>() } = {},
) {
  const known = sessions.map((session) => ({
    ...session,
    before: memoryOf(before.get(session.id), hands.get(session.id)),
  }));
  return associate({ panes, sessions: known });
}

const brief = (verdicts: ReadonlyMap<string, Verdict>) =>
  Object.fromEntries(
    [...verdicts].map(([id, { association, pane, source }]) => [
      id,
      [association, pane?.id ?? null, source].join(" ").trim(),
    ]),
  );

test("two panes of one folder are told apart by the words on their screens", () => {
  const panes = [candidatePane("%1", onScreen(SAID_A)), candidatePane("%2", onScreen(SAID_B))];
  const sessions = [candidateSession("a", SAID_A), candidateSession("b", SAID_B)];
  expect(brief(told(panes, sessions))).toEqual({
    a: "confirmed %1 screen",
    b: "confirmed %2 screen",
  });
});

test("words that stand on two screens prove nothing", () => {
  const panes = [candidatePane("%1", onScreen(SAID_A)), candidatePane("%2", onScreen(SAID_A))];
  expect(brief(told(panes, [candidateSession("a", SAID_A)]))).toEqual({ a: "ambiguous" });
});

test("one short message is too little, a long one or a second one is enough", () => {
  const panes = (...said: string[]) => [candidatePane("%1", said), candidatePane("%2", ["• else"])];
  const long = "Please rename every column of the second table";
  const proof = (said: string[], lines: string[]) =>
    brief(told(panes(...lines), [candidateSession("a", said)])).a;
  expect(proof(["yes"], ["› yes"])).toBe("ambiguous");
  expect(proof(["yes"], ["› yes, all of them"])).toBe("ambiguous");
  expect(proof([long], [`› ${long}`])).toBe("confirmed %1 screen");
  expect(proof(["yes", "Done."], ["› yes", "• Done."])).toBe("confirmed %1 screen");
});

test("words in the output of a tool are not said by anybody", () => {
  const panes = [
    candidatePane("%1", ["• Ran cat notes", `  └ ${SAID_A[0]}`, `    ${SAID_A[1]}`]),
    candidatePane("%2", []),
  ];
  expect(brief(told(panes, [candidateSession("a", SAID_A)])).a).toBe("probable");
});

test("alone in its folder and born with its process is confirmed; a second pane or session is not", () => {
  const pane = candidatePane("%1", ["• something else"], { isAtRest: false });
  const session = candidateSession("a", SAID_A);
  expect(brief(told([pane], [session]))).toEqual({ a: "confirmed %1 alone" });
  const other = candidateSession("b", SAID_B, { lastAt: 1030 });
  expect(brief(told([pane], [session, other]))).toEqual({ a: "unavailable", b: "probable" });
  expect(brief(told([pane, candidatePane("%2", ["• x"])], [session]))).toEqual({ a: "ambiguous" });
  const printed = candidateSession("p", [], { isInteractive: false });
  expect(brief(told([pane], [session, printed]))).toEqual({
    a: "confirmed %1 alone",
    p: "unavailable",
  });
});

test("born too early or too late is not born with it", () => {
  const pane = candidatePane("%1", ["• x"], { isAtRest: false });
  const bornAt = (beganAt: number) =>
    brief(told([pane], [candidateSession("a", SAID_A, { beganAt, lastAt: 5000 })])).a;
  expect(bornAt(994)).toBe("probable");
  expect(bornAt(995)).toBe("confirmed %1 alone");
  expect(bornAt(1180)).toBe("confirmed %1 alone");
  expect(bornAt(1181)).toBe("probable");
});

test("alone falls when a later session is nowhere else, and holds where it is proved elsewhere", () => {
  const pane = candidatePane("%1", ["• Done."], { isAtRest: false });
  const session = candidateSession("a", SAID_A);
  const later = candidateSession("b", SAID_B, { beganAt: 1300, lastAt: 1310 });
  expect(brief(told([pane], [session, later]))).toEqual({ a: "unavailable", b: "probable" });
  const other = { ...pane, id: "%2", folder: "/elsewhere" };
  const claims = { ...NO_CLAIMS, startedWith: "b" };
  expect(brief(told([pane, { ...other, claims }], [session, later]))).toEqual({
    ...{ a: "confirmed %1 alone", b: "confirmed %2 process" },
  });
});

test("alone falls where the screen shows all since the start, and no word of the session", () => {
  const session = candidateSession("a", SAID_A);
  expect(brief(told([candidatePane("%1", ["• Done."])], [session]))).toEqual({ a: "probable" });
  const [first = ""] = onScreen(SAID_A);
  expect(brief(told([candidatePane("%1", [first])], [session]))).toEqual({
    a: "confirmed %1 alone",
  });
});

test("a program that names a worktree shows its session, and not that of the pane's folder", () => {
  const drawn = "/home/dev/.codex/worktrees/4f/shop";
  const notice = "• Working directory changed to: ~/.codex/worktrees/4f/shop";
  const footer = "  medium · ~/.codex/worktrees/4f/shop";
  const pane = (said: readonly string[]) => {
    const plain = candidatePane("%1", [notice, ...said], { drawnFolder: drawn });
    const start = ["│ >_ OpenAI Codex (v1.0) │", notice, ...said, "› Ask", footer];
    return { ...plain, conversation: conversationOn(start, "agent_b", true) };
  };
  expect(pane([]).conversation).toMatchObject({ isFresh: true, folder: footer.slice(11) });
  const first = candidateSession("a", SAID_A);
  const second = candidateSession("b", SAID_B, { cwd: drawn, folder: drawn, beganAt: 1300 });
  const empty = told([pane([])], [first]);
  expect(brief(empty)).toEqual({ a: "unavailable" });
  expect(brief(told([pane(onScreen(SAID_B))], [first, second], { before: empty }))).toEqual({
    ...{ a: "unavailable", b: "confirmed %1 screen" },
  });
  // A dialog covers what named the folder: what was left stays left.
  const covered = candidatePane("%1", ["• Allow?"], { isAtRest: false });
  expect(brief(told([covered], [first], { before: empty }))).toEqual({ a: "unavailable" });
});

test("a folder is what a program draws of it", () => {
  const isDrawn = (drawn: string) => isDrawnAs("/home/dev/code/shop", drawn);
  const right = ["~/code/shop", "/home/dev/code/shop", "~/…/shop", "/home/…/shop", "~/co…", "~"];
  const wrong = ["~/shop/", "/home/dev/code", "~/…/other", "/srv/…/shop", "~/other"];
  expect(right.filter((drawn) => !isDrawn(drawn))).toEqual([]);
  expect(wrong.filter(isDrawn)).toEqual([]);
});

test("what a person let go stays let go, whatever proves it", () => {
  const status = { pid: 1, procStart: "1", startedAt: null, sessionId: "a", status: null };
  const hands = new Map([["a", { incarnation: "%1 1", kind: "released" as const }]]);
  const proofs = [
    { ...NO_CLAIMS, status },
    { ...NO_CLAIMS, held: ["a"] },
    { ...NO_CLAIMS, startedWith: "a" },
    NO_CLAIMS,
  ];
  for (const claims of proofs) {
    const panes = [candidatePane("%1", onScreen(SAID_A), { claims })];
    const others = [candidateSession("a", SAID_A), candidateSession("c", ["x"], { beganAt: 1 })];
    const verdict = told(panes, others, { hands }).get("a");
    expect([verdict?.association, verdict?.source]).toEqual(["unavailable", "released"]);
  }
});

test("a session older than every process there is nobody's", () => {
  const old = candidateSession("a", SAID_A, { beganAt: 10, lastAt: 20 });
  expect(brief(told([candidatePane("%1", ["• x"])], [old]))).toEqual({ a: "unavailable" });
});

test("a process that names a session not known yet keeps others out", () => {
  const status = { pid: 1, procStart: "1", startedAt: null, sessionId: "new", status: null };
  const pane = candidatePane("%1", onScreen(SAID_A), { claims: { ...NO_CLAIMS, status } });
  expect(brief(told([pane], [candidateSession("a", SAID_A)]))).toEqual({ a: "unavailable" });
});

test("one session that two live processes name is in neither", () => {
  const claims = {
    ...NO_CLAIMS,
    status: { pid: 1, procStart: "1", startedAt: null, sessionId: "a", status: null },
  };
  const panes = [candidatePane("%1", [], { claims }), candidatePane("%2", [], { claims })];
  const verdict = told(panes, [candidateSession("a", [])]).get("a");
  expect(verdict?.association).toBe("ambiguous");
  expect(verdict?.candidates.map(({ pane }) => pane.id)).toEqual(["%1", "%2"]);
});

test("of the logs that a process still holds, the one on its screen counts, else the newest", () => {
  const claims = { ...NO_CLAIMS, held: ["a", "b"] };
  const a = candidateSession("a", SAID_A);
  const b = candidateSession("b", SAID_B, { beganAt: 1100 });
  const shown = candidatePane("%1", onScreen(SAID_A), { claims });
  expect(brief(told([shown], [a, b])).a).toBe("confirmed %1 process");
  const other = candidatePane("%1", ["• x"], { claims });
  expect(brief(told([other], [a, b])).b).toBe("confirmed %1 process");
});

test("a session that was only copied is not the one in the pane", () => {
  const claims = { ...NO_CLAIMS, forkedFrom: "a" };
  const pane = candidatePane("%1", onScreen(SAID_A), { claims });
  expect(brief(told([pane], [candidateSession("a", SAID_A)]))).toEqual({ a: "unavailable" });
});

test("an empty start takes the pane from its session, and it stays taken while the next one begins", () => {
  const session = candidateSession("a", SAID_A);
  const first = told([candidatePane("%1", onScreen(SAID_A))], [session]);
  expect(brief(first)).toEqual({ a: "confirmed %1 screen" });
  const empty = told([candidatePane("%1", [])], [session], { before: first });
  expect(brief(empty)).toEqual({ a: "unavailable" });
  const typed = told([candidatePane("%1", ["› Count the pears"])], [session], { before: empty });
  expect(brief(typed)).toEqual({ a: "unavailable" });
  const next = candidateSession("b", SAID_B, { beganAt: 1100, lastAt: 1110 });
  const second = told([candidatePane("%1", onScreen(SAID_B))], [session, next], { before: typed });
  expect(brief(second)).toEqual({ a: "unavailable", b: "confirmed %1 screen" });
  // Resumed from within: its words are back, the other one's are gone.
  const back = told([candidatePane("%1", onScreen(SAID_A))], [session, next], { before: second });
  expect(brief(back)).toEqual({ a: "confirmed %1 screen", b: "unavailable" });
});

test("a proof by screen holds while a dialog covers it, not when new words are missing", () => {
  const panes = (said: string[], isAtRest: boolean) => [
    candidatePane("%1", said, { isAtRest }),
    candidatePane("%2", ["• x"]),
  ];
  const session = candidateSession("a", SAID_A);
  const first = told(panes(onScreen(SAID_A), true), [session]);
  const covered = told(panes(["• Allow?"], false), [session], { before: first });
  expect(brief(covered).a).toBe("confirmed %1 screen");
  const more = candidateSession("a", [...SAID_A, "And the plums"]);
  const missing = told(panes(["• Other words"], true), [more], { before: covered });
  expect(brief(missing).a).toBe("ambiguous");
});

test("what a person bound or let go holds for that incarnation alone", () => {
  const pane = candidatePane("%1", onScreen(SAID_A));
  const session = candidateSession("b", SAID_B, { beganAt: 10 });
  const bound = new Map([["b", { incarnation: "%1 1", kind: "bound" as const }]]);
  expect(brief(told([pane], [session], { hands: bound })).b).toBe("confirmed %1 hand");
  const later = { ...pane, incarnation: "%1 2" };
  expect(brief(told([later], [session], { hands: bound })).b).toBe("probable");
  const own = candidateSession("a", SAID_A);
  const released = new Map([["a", { incarnation: "%1 1", kind: "released" as const }]]);
  const verdict = told([pane], [own], { hands: released }).get("a");
  expect([verdict?.association, verdict?.source]).toEqual(["unavailable", "released"]);
  expect(verdict?.candidates.map((each) => each.pane.id)).toEqual(["%1"]);
  expect(brief(told([later], [own], { hands: released })).a).toBe("confirmed %1 screen");
});

const word = fc.constantFrom("Count the apples", "Count the pears", "yes", "There are twelve.");
const claims = fc.record({
  status: fc.constant(null),
  held: fc.subarray(["s0", "s1", "s2"]),
  startedWith: fc.option(fc.constantFrom("s0", "s1", "s2")),
  forkedFrom: fc.option(fc.constantFrom("s0", "s1")),
});
const anyPanes = fc
  .array(fc.record({ said: fc.array(word, { maxLength: 3 }), claims, isAtRest: fc.boolean() }), {
    maxLength: 3,
  })
  .map((panes) =>
    panes.map(({ said, ...members }, index) =>
      candidatePane(
        `%${index}`,
        said.map((text) => `› ${text}`),
        members,
      ),
    ),
  );
const anySessions = fc
  .array(
    fc.record({
      said: fc.array(word, { maxLength: 3 }),
      beganAt: fc.integer({ min: 900, max: 1300 }),
      lastAt: fc.integer({ min: 900, max: 1400 }),
      isInteractive: fc.boolean(),
    }),
    { maxLength: 3 },
  )
  .map((sessions) =>
    sessions.map(({ said, ...members }, index) => candidateSession(`s${index}`, said, members)),
  );

test("a pane is one session's at most, each session is judged, and the order changes nothing", () => {
  fc.assert(
    fc.property(anyPanes, anySessions, (panes, sessions) => {
      const verdicts = told(panes, sessions);
      expect([...verdicts.keys()].toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
      const bound = [...verdicts.values()].flatMap(({ pane }) => pane?.id ?? []);
      expect(new Set(bound).size).toBe(bound.length);
      for (const { association, pane, candidates } of verdicts.values()) {
        expect(pane !== null).toBe(association === "confirmed");
        expect(candidates.length > 0).toBe(["probable", "ambiguous"].includes(association));
      }
      const reversed = told(panes.toReversed(), sessions.toReversed());
      const ties = new Set(sessions.map(({ lastAt, beganAt }) => `${lastAt} ${beganAt}`));
      if (ties.size === sessions.length && hasDistinct(sessions))
        for (const [id, verdict] of Object.entries(brief(reversed)))
          expect(verdict).toBe(brief(verdicts)[id] ?? "");
    }),
    { numRuns: 300 },
  );
});

function hasDistinct(sessions: readonly CandidateSession[]): boolean {
  const distinct = (values: readonly unknown[]) => new Set(values).size === values.length;
  return (
    distinct(sessions.map(({ lastAt }) => lastAt)) &&
    distinct(sessions.map(({ beganAt }) => beganAt))
  );
}
