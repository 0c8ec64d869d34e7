import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchSessions } from "../../src/agents/binding/matcher.ts";
import type { CandidatePane, CandidateSession } from "../../src/agents/binding/binding.ts";
import type { Binding, HandBinding, PaneMatch } from "../../src/agents/session.ts";
import { parseConversation } from "../../src/agents/binding/conversation.ts";
import { candidatePane, candidateSession, previousOf, NO_CLAIMS } from "./support/candidates.ts";
import { forAll } from "../support/laws.ts";

const SAID_A = ["Count the apples", "There are twelve apples."];
const SAID_B = ["Count the pears", "There are three pears."];
const COMMON = "All tests of the project pass, and the change is on its branch.";
/** The status file of a process that names the session `a`. */
const status = { pid: 1, procStart: "1", startedAt: null, sessionId: "a", status: null };
const onScreen = ([user, assistant]: readonly string[]) => [`› ${user}`, `• ${assistant}`];

function matchesOf(
  panes: readonly CandidatePane[],
  sessions: readonly CandidateSession[],
  { before = new Map<string, PaneMatch>(), hands = new Map<string, HandBinding>() } = {},
) {
  const known = sessions.map((session) => ({
    ...session,
    before: previousOf(before.get(session.id), hands.get(session.id)),
  }));
  return matchSessions({ panes, sessions: known });
}

const brief = (matches: ReadonlyMap<string, PaneMatch>) =>
  Object.fromEntries(
    [...matches].map(([id, { association, paneId, source }]) => [
      id,
      [association, paneId, source].join(" ").trim(),
    ]),
  );

const OWN = candidateSession("a", SAID_A);
const placesOf = (...seen: Parameters<typeof matchesOf>) => brief(matchesOf(...seen));

test("two panes of one folder are told apart by the words on their screens", () => {
  const panes = [candidatePane("%1", onScreen(SAID_A)), candidatePane("%2", onScreen(SAID_B))];
  const sessions = [OWN, candidateSession("b", SAID_B)];
  expect(placesOf(panes, sessions)).toEqual({
    a: "confirmed %1 screen",
    b: "confirmed %2 screen",
  });
});

test("words on two screens prove no pane, and both panes are equal candidates", () => {
  const panes = [candidatePane("%1", onScreen(SAID_A)), candidatePane("%2", onScreen(SAID_A))];
  const found = matchesOf(panes, [OWN]);
  expect(brief(found)).toEqual({ a: "ambiguous" });
  // Candidates of low confidence: no proof says that the session is in both.
  expect(found.get("a")?.candidates.map(({ confidence }) => confidence)).toEqual([0.3, 0.3]);
});

test("words of two sessions on two screens neither prove a pane nor contradict what its process started with", () => {
  const own = [
    "Count the apples in the second crate of the cellar",
    "Count the pears in every crate of the attic, please",
  ];
  const said = own.map((text) => [text, COMMON]);
  const sessions = said.map((each, at) =>
    candidateSession("ab"[at] ?? "", each, { lastAt: 1020 + at }),
  );
  const both = said.map((each, at) => candidatePane(`%${at}`, onScreen(each)));
  expect(placesOf(both, sessions)).toEqual({
    a: "confirmed %0 screen",
    b: "confirmed %1 screen",
  });
  const scrolled = ["a", "b"].map((id, at) =>
    candidatePane(`%${at}`, [`• ${COMMON}`], { claims: { ...NO_CLAIMS, startedWith: id } }),
  );
  expect(placesOf(scrolled, sessions)).toEqual({
    a: "confirmed %0 process",
    b: "confirmed %1 process",
  });
  const unnamed = scrolled.map((pane) => ({ ...pane, claims: NO_CLAIMS }));
  const found = matchesOf(unnamed, sessions);
  expect([...found.values()].map(({ paneId }) => paneId)).toEqual([null, null]);
});

test("words of two sessions on a single screen prove the newer session", () => {
  const panes = [candidatePane("%1", [`• ${COMMON}`]), candidatePane("%2", ["• else"])];
  const sessions = ["a", "b"].map((id, at) =>
    candidateSession(id, [`Task ${id}`, COMMON], { lastAt: 1020 + at }),
  );
  expect(placesOf(panes, sessions).b).toBe("confirmed %1 screen");
});

test("words of another session alone, on two screens, contradict what a process was started with", () => {
  const claims = { ...NO_CLAIMS, startedWith: "a" };
  const panes = [
    candidatePane("%1", [`• ${COMMON}`], { claims }),
    candidatePane("%2", [`• ${COMMON}`]),
  ];
  const b = candidateSession("b", ["Do it", COMMON], { lastAt: 1030 });
  expect(placesOf(panes, [OWN, b]).a).toBe("ambiguous");
  // Words that both sessions have prove nothing against it.
  const both = candidateSession("a", ["Do that", COMMON]);
  expect(placesOf(panes, [both, b]).a).toBe("confirmed %1 process");
  // The same beginning is not the same message.
  const long = `${COMMON} ${COMMON}`;
  const screens = panes.map(({ id, claims: own }) =>
    candidatePane(id, [`• ${long}`], { claims: own }),
  );
  const sessions = [
    candidateSession("a", ["Do that", `${long} Nothing else is left to do.`]),
    candidateSession("b", ["Do it", long], { lastAt: 1030 }),
  ];
  expect(placesOf(screens, sessions).a).toBe("ambiguous");
});

test("one message on a screen proves its session from 40 characters on, or two short messages do", () => {
  const panes = (...said: string[]) => [candidatePane("%1", said), candidatePane("%2", ["• else"])];
  const long = "Please rename every column of the second table";
  const proof = (said: string[], lines: string[]) =>
    placesOf(panes(...lines), [candidateSession("a", said)]).a;
  expect(proof(["yes"], ["› yes"])).toBe("ambiguous");
  expect(proof(["yes"], ["› yes, all of them"])).toBe("ambiguous");
  expect(proof([long], [`› ${long}`])).toBe("confirmed %1 screen");
  expect(proof(["yes", "Done."], ["› yes", "• Done."])).toBe("confirmed %1 screen");
  const forty = "Rename the columns of the second table!!";
  expect([forty.length, proof([forty], [`› ${forty}`])]).toEqual([40, "confirmed %1 screen"]);
  expect(proof([forty.slice(1)], [`› ${forty.slice(1)}`])).toBe("ambiguous");
});

test("words in the output of a tool do not prove a session", () => {
  const panes = [
    candidatePane("%1", ["• Ran cat notes", `  └ ${SAID_A[0]}`, `    ${SAID_A[1]}`]),
    candidatePane("%2", []),
  ];
  expect(placesOf(panes, [OWN]).a).toBe("probable");
});

test("a session alone in its folder and begun with its process is confirmed, beside a second pane or session not", () => {
  const pane = candidatePane("%1", ["• something else"], { isAtRest: false });
  expect(placesOf([pane], [OWN])).toEqual({ a: "confirmed %1 alone" });
  const other = candidateSession("b", SAID_B, { lastAt: 1030 });
  for (const both of [
    [OWN, other],
    [other, OWN],
  ])
    expect(placesOf([pane], both)).toEqual({ a: "unavailable", b: "probable" });
  expect(placesOf([pane, candidatePane("%2", ["• x"])], [OWN])).toEqual({ a: "ambiguous" });
  const printed = candidateSession("p", [], { isInteractive: false });
  expect(placesOf([pane], [OWN, printed])).toEqual({
    a: "confirmed %1 alone",
    p: "unavailable",
  });
});

test("a session has begun with its process from 5 seconds before until 180 seconds after the known start", () => {
  const pane = candidatePane("%1", ["• x"], { isAtRest: false });
  const bornAt = (beganAt: number) =>
    placesOf([pane], [candidateSession("a", SAID_A, { beganAt, lastAt: 5000 })]).a;
  expect(bornAt(994)).toBe("probable");
  expect(bornAt(995)).toBe("confirmed %1 alone");
  expect(bornAt(1180)).toBe("confirmed %1 alone");
  expect(bornAt(1181)).toBe("probable");
  expect(placesOf([{ ...pane, startedAt: null }], [OWN]).a).toBe("probable");
  const unknown = candidateSession("a", SAID_A, { beganAt: null, lastAt: 5000 });
  expect(placesOf([pane], [unknown]).a).toBe("probable");
});

test("a pane is not confirmed for its only session once a later one may be there, unless that is proved elsewhere", () => {
  const pane = candidatePane("%1", ["• Done."], { isAtRest: false });
  const later = candidateSession("b", SAID_B, { beganAt: 1300, lastAt: 1310 });
  expect(placesOf([pane], [OWN, later])).toEqual({ a: "unavailable", b: "probable" });
  const other = { ...pane, id: "%2", folder: "/elsewhere" };
  const claims = { ...NO_CLAIMS, startedWith: "b" };
  expect(placesOf([pane, { ...other, claims }], [OWN, later])).toEqual({
    ...{ a: "confirmed %1 alone", b: "confirmed %2 process" },
  });
});

test("a pane at rest is not confirmed for its only session when the screen has no word of that session", () => {
  expect(placesOf([candidatePane("%1", ["• Done."])], [OWN])).toEqual({ a: "probable" });
  const [first = ""] = onScreen(SAID_A);
  expect(placesOf([candidatePane("%1", [first])], [OWN])).toEqual({
    a: "confirmed %1 alone",
  });
  const only = (said: readonly string[]) =>
    placesOf([candidatePane("%1", ["• Done."])], [candidateSession("a", said)]).a;
  expect([only(["Count"]), only([])]).toEqual(["probable", "confirmed %1 alone"]);
});

test("all panes of the folder are candidates, unless every process began over 5 seconds after the last record", () => {
  const [early, late] = [900, 2000];
  const session = candidateSession("a", SAID_A, { beganAt: 500, lastAt: 1020 });
  const candidatesIn = (...starts: number[]) => {
    const panes = starts.map((startedAt, at) => candidatePane(`%${at}`, ["• x"], { startedAt }));
    return matchesOf(panes, [session])
      .get("a")
      ?.candidates.map(({ pane_id }) => pane_id);
  };
  expect(candidatesIn(early, late)).toEqual(["%0", "%1"]);
  expect(candidatesIn(late, late)).toEqual([]);
  expect([candidatesIn(1025), candidatesIn(1026)]).toEqual([["%0"], []]);
});

test("a program that names a worktree is matched with its session, not with that of the pane's folder", () => {
  const drawn = "/home/dev/.codex/worktrees/4f/shop";
  const notice = "• Working directory changed to: ~/.codex/worktrees/4f/shop";
  const footer = "  medium · ~/.codex/worktrees/4f/shop";
  const pane = (said: readonly string[]) => {
    const plain = candidatePane("%1", [notice, ...said], { drawnFolder: drawn });
    const start = ["│ >_ OpenAI Codex (v1.0) │", notice, ...said, "› Ask", footer];
    return { ...plain, conversation: parseConversation(start, "agent_b", true) };
  };
  expect(pane([]).conversation).toMatchObject({ isFresh: true, folder: footer.slice(11) });
  const second = candidateSession("b", SAID_B, { cwd: drawn, folder: drawn, beganAt: 1300 });
  const empty = matchesOf([pane([])], [OWN]);
  expect(brief(empty)).toEqual({ a: "unavailable" });
  expect(placesOf([pane(onScreen(SAID_B))], [OWN, second], { before: empty })).toEqual({
    ...{ a: "unavailable", b: "confirmed %1 screen" },
  });
  // A dialog covers the folder's name: the session stays out of the pane.
  const covered = candidatePane("%1", ["• Allow?"], { isAtRest: false });
  expect(placesOf([covered], [OWN], { before: empty })).toEqual({ a: "unavailable" });
});

test("a session released by hand stays released, whatever claim or screen proves it", () => {
  const hands = new Map([["a", { incarnation: "%1 1", kind: "released" as const }]]);
  const proofs = [
    { ...NO_CLAIMS, status },
    { ...NO_CLAIMS, held: ["a"] },
    { ...NO_CLAIMS, startedWith: "a" },
    NO_CLAIMS,
  ];
  for (const claims of proofs) {
    const panes = [candidatePane("%1", onScreen(SAID_A), { claims })];
    const others = [OWN, candidateSession("c", ["x"], { beganAt: 1 })];
    const match = matchesOf(panes, others, { hands }).get("a");
    expect([match?.association, match?.source]).toEqual(["unavailable", "released"]);
  }
});

test("a session in a linked folder matches a screen that draws the link or its target", () => {
  const session = candidateSession("a", SAID_A, { cwd: "/link", folder: "/shop" });
  const sceneOf = (folder: string) => {
    const pane = candidatePane("%1", onScreen(SAID_A));
    const conversation = { ...pane.conversation, folder };
    return placesOf([{ ...pane, conversation }], [session]).a;
  };
  expect(sceneOf("/link")).toBe("confirmed %1 screen");
  expect(sceneOf("/shop")).toBe("confirmed %1 screen");
  expect(sceneOf("/other")).toBe("unavailable");
});

/** Proofs for the session `a`, strongest first. */
const PROOFS: readonly Partial<CandidatePane>[] = [
  { incarnation: "bound" },
  { claims: { ...NO_CLAIMS, status } },
  { claims: { ...NO_CLAIMS, held: ["a"] } },
  { claims: { ...NO_CLAIMS, startedWith: "a" } },
  { conversation: candidatePane("", onScreen(SAID_A)).conversation },
  { isAtRest: false },
];

test("a session proved in two panes is matched with the pane of the stronger proof", () => {
  const hands = new Map([["a", { incarnation: "bound", kind: "bound" as const }]]);
  for (const [index, strong] of PROOFS.entries())
    for (const weak of PROOFS.slice(index + 1)) {
      // The last proof needs a pane that is the only one in its folder.
      const folder = weak === PROOFS.at(-1) ? "/else" : "/shop";
      const drawnFolder = "/shop";
      const panes = [
        candidatePane("%1", ["• x"], { folder, drawnFolder, ...strong }),
        candidatePane("%2", ["• x"], weak),
      ];
      for (const order of [panes, panes.toReversed()])
        expect(placesOf(order, [OWN], { hands }).a).toStartWith("confirmed %1 ");
    }
});

test("a pane of another folder, whatever it shows or claims, takes no proof from a pane", () => {
  const hands = new Map([["a", { incarnation: "bound", kind: "bound" as const }]]);
  const yard = { folder: "/yard", cwd: "/yard" };
  const sessions = [
    candidateSession("c", SAID_B, yard),
    candidateSession("d", ["Count the plums"], { ...yard, beganAt: 10, lastAt: 1030 }),
    OWN,
  ];
  const others = [
    candidatePane("%0", [], { folder: "/yard" }),
    candidatePane("%0", ["• x"], { folder: "/yard" }),
    candidatePane("%0", ["• x"], { folder: "/yard", startedAt: null }),
    candidatePane("%0", ["• x"], { folder: "/yard", isAtRest: false }),
    candidatePane("%0", onScreen(SAID_B), { folder: "/yard" }),
    ...[{ startedWith: "nobody" }, { startedWith: "d" }, { held: ["nobody"] }].map((claims) =>
      candidatePane("%0", onScreen(SAID_B), {
        ...{ folder: "/yard", claims: { ...NO_CLAIMS, ...claims } },
      }),
    ),
    candidatePane("%0", ["• x"], {
      ...{ folder: "/yard", claims: { ...NO_CLAIMS, status: { ...status, sessionId: "e" } } },
    }),
  ];
  for (const proof of PROOFS)
    for (const other of others)
      for (const some of [
        sessions,
        sessions.slice(2),
        [...sessions.slice(0, 1), ...sessions.slice(2)],
      ]) {
        const pane = candidatePane("%1", ["• x"], proof);
        expect(placesOf([other, pane], some, { hands }).a).toStartWith("confirmed %1 ");
      }
});

test("a match proved by the screen holds when its words are gone, a match by any other proof does not", () => {
  const panes = [candidatePane("%1", ["• x"], { isAtRest: false }), candidatePane("%2", ["• y"])];
  const newestMessage = OWN.newestMessage;
  const shown = { ...previousOf(), incarnation: "%1 1", source: "screen" as const, newestMessage };
  expect(brief(matchSessions({ panes, sessions: [{ ...OWN, before: shown }] })).a).toBe(
    "confirmed %1 screen",
  );
  for (const source of ["process", "alone", "hand", "released", null] as const) {
    const before = { ...shown, source };
    expect(brief(matchSessions({ panes, sessions: [{ ...OWN, before }] })).a).toBe("ambiguous");
  }
});

test("a match proved by the screen ends when another session's words stand there, or its own elsewhere", () => {
  const before = { ...previousOf(), incarnation: "%1 1", source: "screen" as const };
  const session = { ...OWN, before: { ...before, newestMessage: OWN.newestMessage } };
  const b = candidateSession("b", SAID_B);
  const where = (...screens: string[][]) => {
    const panes = screens.map((said, at) => candidatePane(`%${at + 1}`, said, { isAtRest: false }));
    return brief(matchSessions({ panes, sessions: [session, b] })).a;
  };
  expect(where(["• x"], ["• y"], ["• z"])).toBe("confirmed %1 screen");
  expect(where(onScreen(SAID_B), onScreen(SAID_B), ["• z"])).not.toStartWith("confirmed");
  expect(where(["• x"], onScreen(SAID_A), onScreen(SAID_A))).not.toStartWith("confirmed");
});

test("a session has left a program that shows another session or an empty start, not one without its words", () => {
  const incarnation = "%1 1";
  const released = { source: "released", hand: { incarnation, kind: "released" } } as const;
  const left = (
    pane: CandidatePane,
    before: Partial<Binding> = { source: "screen" },
  ): readonly string[] | undefined => {
    const session = { ...OWN, before: { ...previousOf(), incarnation, ...before } };
    const sessions = [session, candidateSession("b", SAID_B)];
    return matchSessions({ panes: [pane], sessions }).get("a")?.left;
  };
  expect(left(candidatePane("%1", onScreen(SAID_B)))).toEqual(["%1 1"]);
  // An empty start counts for the program that the session began with.
  expect(left(candidatePane("%1", []), released)).toEqual(["%1 1"]);
  expect(left(candidatePane("%1", [], { startedAt: 10 }), released)).toEqual([]);
  expect(left(candidatePane("%1", [], { startedAt: 10 }))).toEqual(["%1 1"]);
  expect(left(candidatePane("%1", onScreen(SAID_A)))).toEqual([]);
  expect(left(candidatePane("%1", ["• x"], { isAtRest: false }))).toEqual([]);
  expect(left(candidatePane("%1", ["• x"], { isAtRest: false }), { source: "process" })).toEqual(
    [],
  );
  // A pane of another runtime is never the one that was left.
  expect(left(candidatePane("%2", onScreen(SAID_B), { runtime: "agent_a" }))).toEqual([]);
});

test("a pane whose process names an unknown session is matched with no other session", () => {
  const claims = { ...NO_CLAIMS, status: { ...status, sessionId: "new" } };
  const pane = candidatePane("%1", onScreen(SAID_A), { claims });
  expect(placesOf([pane], [OWN])).toEqual({ a: "unavailable" });
});

test("a session that two live processes name is ambiguous, with both panes as equal candidates", () => {
  const claims = { ...NO_CLAIMS, status };
  const panes = [candidatePane("%1", [], { claims }), candidatePane("%2", [], { claims })];
  const match = matchesOf(panes, [candidateSession("a", [])]).get("a");
  expect(match?.association).toBe("ambiguous");
  const candidates = match?.candidates.map(({ pane_id, confidence }) => [pane_id, confidence]);
  expect(candidates).toEqual([
    ["%1", 0.5],
    ["%2", 0.5],
  ]);
});

test("a process that holds several logs is matched with the session on its screen, otherwise with the newest", () => {
  const claims = { ...NO_CLAIMS, held: ["a", "b"] };
  const b = candidateSession("b", SAID_B, { beganAt: 1100 });
  const shown = candidatePane("%1", onScreen(SAID_A), { claims });
  expect(placesOf([shown], [OWN, b]).a).toBe("confirmed %1 process");
  const other = candidatePane("%1", ["• x"], { claims });
  expect(placesOf([other], [OWN, b]).b).toBe("confirmed %1 process");
});

test("a session that a process was forked from is not matched with its pane", () => {
  const claims = { ...NO_CLAIMS, forkedFrom: "a" };
  const pane = candidatePane("%1", onScreen(SAID_A), { claims });
  expect(placesOf([pane], [OWN])).toEqual({ a: "unavailable" });
});

test("an empty start takes the pane from its session until words of the next or the resumed session appear", () => {
  const first = matchesOf([candidatePane("%1", onScreen(SAID_A))], [OWN]);
  expect(brief(first)).toEqual({ a: "confirmed %1 screen" });
  const empty = matchesOf([candidatePane("%1", [])], [OWN], { before: first });
  expect(brief(empty)).toEqual({ a: "unavailable" });
  const typed = matchesOf([candidatePane("%1", ["› Count the pears"])], [OWN], { before: empty });
  expect(brief(typed)).toEqual({ a: "unavailable" });
  const next = candidateSession("b", SAID_B, { beganAt: 1100, lastAt: 1110 });
  const second = matchesOf([candidatePane("%1", onScreen(SAID_B))], [OWN, next], { before: typed });
  expect(brief(second)).toEqual({ a: "unavailable", b: "confirmed %1 screen" });
  // The program resumed the first session: only its words are on the screen.
  const back = matchesOf([candidatePane("%1", onScreen(SAID_A))], [OWN, next], { before: second });
  expect(brief(back)).toEqual({ a: "confirmed %1 screen", b: "unavailable" });
});

test("a match proved by the screen holds under a dialog, and ends when the session's newer words are missing", () => {
  const panes = (said: string[], isAtRest: boolean) => [
    candidatePane("%1", said, { isAtRest }),
    candidatePane("%2", ["• x"]),
  ];
  const first = matchesOf(panes(onScreen(SAID_A), true), [OWN]);
  const covered = matchesOf(panes(["• Allow?"], false), [OWN], { before: first });
  expect(brief(covered).a).toBe("confirmed %1 screen");
  const more = candidateSession("a", [...SAID_A, "And the plums"]);
  const missing = matchesOf(panes(["• Other words"], true), [more], { before: covered });
  expect(brief(missing).a).toBe("ambiguous");
});

test("a binding or release by hand holds only for the incarnation of the pane that it was made for", () => {
  const pane = candidatePane("%1", onScreen(SAID_A));
  const session = candidateSession("b", SAID_B, { beganAt: 10 });
  const bound = new Map([["b", { incarnation: "%1 1", kind: "bound" as const }]]);
  expect(placesOf([pane], [session], { hands: bound }).b).toBe("confirmed %1 hand");
  const later = { ...pane, incarnation: "%1 2" };
  expect(placesOf([later], [session], { hands: bound }).b).toBe("probable");
  const released = new Map([["a", { incarnation: "%1 1", kind: "released" as const }]]);
  const { candidates = [] } = matchesOf([pane], [OWN], { hands: released }).get("a") ?? {};
  expect(candidates.map(({ pane_id }) => pane_id)).toEqual(["%1"]);
  expect(placesOf([later], [OWN], { hands: released }).a).toBe("confirmed %1 screen");
});

const SAID_C = ["Count the plums", "There are no plums."];
const said = fc.constantFrom<readonly string[]>([], SAID_A, SAID_B, SAID_C, [...SAID_A, ...SAID_B]);
const folder = fc.constantFrom("/shop", "/shop", "/yard");
const claims = fc.record({
  status: fc.constant(null),
  held: fc.subarray(["s0", "s1", "s2"]),
  startedWith: fc.option(fc.constantFrom("s0", "s1", "s2")),
  forkedFrom: fc.option(fc.constantFrom("s0", "s1")),
});
const anyPanes = fc
  .array(fc.record({ said, claims, folder, isAtRest: fc.boolean() }), { maxLength: 3 })
  .map((panes) =>
    panes.map(({ said, ...members }, index) =>
      candidatePane(
        `%${index}`,
        said.map((text, at) => (at % 2 === 0 ? `› ${text}` : `• ${text}`)),
        members,
      ),
    ),
  );
const anySessions = fc
  .array(
    fc.record({
      said,
      folder,
      beganAt: fc.integer({ min: 900, max: 1300 }),
      lastAt: fc.integer({ min: 900, max: 1400 }),
      isInteractive: fc.boolean(),
    }),
    { maxLength: 3 },
  )
  .map((sessions) =>
    sessions.map(({ said, folder, ...members }, index) =>
      candidateSession(`s${index}`, said, { folder, cwd: folder, ...members }),
    ),
  );

test("every session gets a result, no pane gets two sessions, and the order of the input changes nothing", () => {
  forAll([anyPanes, anySessions], 300, (panes, sessions) => {
    const matches = matchesOf(panes, sessions);
    expect([...matches.keys()].toSorted()).toEqual(sessions.map(({ id }) => id).toSorted());
    const bound = [...matches.values()].flatMap(({ paneId }) => paneId ?? []);
    expect(new Set(bound).size).toBe(bound.length);
    for (const { association, paneId, candidates } of matches.values()) {
      expect(paneId !== null).toBe(association === "confirmed");
      const places = candidates.map(({ pane_id }) => pane_id);
      if (association === "ambiguous") expect(places.length).toBeGreaterThan(1);
      else if (association === "probable") expect(places).toHaveLength(1);
      else expect(places).toEqual(paneId === null ? [] : [paneId]);
    }
    const reversed = matchesOf(panes.toReversed(), sessions.toReversed());
    const ties = new Set(sessions.map(({ lastAt, beganAt }) => `${lastAt} ${beganAt}`));
    if (ties.size === sessions.length && hasDistinct(sessions))
      for (const [id, match] of Object.entries(brief(reversed)))
        expect(match).toBe(brief(matches)[id] ?? "");
  });
});

function hasDistinct(sessions: readonly CandidateSession[]): boolean {
  const distinct = (values: readonly unknown[]) => new Set(values).size === values.length;
  return (
    distinct(sessions.map(({ lastAt }) => lastAt)) &&
    distinct(sessions.map(({ beganAt }) => beganAt))
  );
}

test("words on a screen do not prove a session that is not interactive or of another runtime", () => {
  const pane = candidatePane("%1", onScreen(SAID_A));
  const printed = candidateSession("p", SAID_A, { isInteractive: false, lastAt: 1030 });
  const foreign = candidateSession("f", SAID_A, { runtime: "agent_a", lastAt: 1030 });
  expect(placesOf([pane], [printed])).toEqual({ p: "unavailable" });
  expect(placesOf([pane], [OWN, printed, foreign])).toEqual({
    ...{ a: "confirmed %1 screen", p: "unavailable", f: "unavailable" },
  });
});

test("a session begun with two processes, one of which only draws its folder, is ambiguous", () => {
  const members = { isAtRest: false };
  const panes = [
    candidatePane("%1", ["• x"], { ...members, folder: "/yard", drawnFolder: "/shop" }),
    candidatePane("%2", ["• x"], members),
  ];
  for (const order of [panes, panes.toReversed()])
    expect(placesOf(order, [OWN])).toEqual({ a: "ambiguous" });
});
