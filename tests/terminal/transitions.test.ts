import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { PaneState } from "../../src/protocol/pane.ts";
import {
  diffPasses,
  NO_HISTORY,
  type PaneSight,
  type PassSights,
  type Transition,
} from "../../src/terminal/transitions.ts";
import { pane, paneSight } from "../support/pane.ts";
import { PollerStage } from "../support/poller.ts";
import { forAll } from "../support/laws.ts";

const sight = (identity: string, members: Partial<PaneState> = {}) =>
  paneSight(pane({ id: `%${identity.at(0)}`, ...members }), identity);

/** The transitions of each publication, in order. */
function run(publications: readonly PassSights[]): Transition[][] {
  let past = NO_HISTORY;
  return publications.map((publication) => {
    const next = diffPasses(past, publication);
    past = next.past;
    return next.transitions;
  });
}

const pass = (...sights: PaneSight[]) => ({ sights, hasFailed: false });
const failure = { sights: [], hasFailed: true };
const kindOf = ({ before, pane: now }: Transition) =>
  now === null ? "gone" : before ? "changed" : "appeared";
const words = (transitions: readonly Transition[] | undefined) =>
  transitions?.map((each) => `${kindOf(each)} ${each.identity} ${each.isNews}`);

describe("transitions", () => {
  const idle = sight("1a");
  const waiting = sight("1a", { status: "needs_input", prompt_since: 5 });

  test("a pane of the first pass is no news, its later change is", () => {
    const [first, second] = run([pass(idle, sight("2a")), pass(waiting, sight("2a"))]);
    expect(words(first)).toEqual(["appeared 1a false", "appeared 2a false"]);
    expect(words(second)).toEqual(["changed 1a true"]);
    expect(second?.[0]).toMatchObject({ before: idle, pane: waiting });
  });

  test("a pane of the first pass that succeeds is no news", () => {
    expect(words(run([failure, pass(waiting)])[1])).toEqual(["appeared 1a false"]);
  });

  test("a pane that first appears later is news", () => {
    const [, second] = run([pass(idle), pass(idle, sight("2a", { status: "needs_input" }))]);
    expect(words(second)).toEqual(["appeared 2a true"]);
  });

  test("a failed pass gives no transitions, and a change behind it is no news", () => {
    const [, second, third, fourth] = run([pass(idle), failure, pass(waiting), pass(idle)]);
    expect(second).toEqual([]);
    expect(words(third)).toEqual(["changed 1a false"]);
    expect(third?.[0]).toMatchObject({ before: idle });
    expect(words(fourth)).toEqual(["changed 1a true"]);
  });

  test("a prompt that came during a failed pass to a pane that worked is news", () => {
    const working = sight("1a", { status: "working" });
    const [, , third] = run([pass(working), failure, pass(waiting)]);
    expect(words(third)).toEqual(["changed 1a true"]);
    expect(words(run([pass(working), failure, pass(idle)])[2])).toEqual(["changed 1a false"]);
    const stale = sight("1a", { status: "working", stale: true });
    expect(words(run([pass(working), pass(stale), pass(waiting)])[2])).toEqual(["changed 1a true"]);
    // At the start no earlier state is known.
    expect(words(run([pass(stale), pass(waiting)])[1])).toEqual(["appeared 1a false"]);
  });

  test("another prompt after a failed pass is news, the same prompt is no transition", () => {
    const next = sight("1a", { status: "needs_input", prompt_since: 6 });
    expect(words(run([pass(waiting), failure, pass(next)])[2])).toEqual(["changed 1a true"]);
    expect(run([pass(waiting), failure, pass({ ...waiting })])[2]).toEqual([]);
    const stale = { ...waiting, state: { ...waiting.state, stale: true } };
    expect(words(run([pass(waiting), pass(stale), pass(next)])[2])).toEqual(["changed 1a true"]);
  });

  test("a pane that was stale is compared with its state before that", () => {
    const stale = sight("1a", { stale: true });
    const [, second, third] = run([pass(idle), pass(stale), pass(waiting)]);
    expect(second).toEqual([]);
    expect(third).toMatchObject([{ before: idle, isNews: false }]);
  });

  test("a pane that was stale in the first pass is no news in the next one", () => {
    const [first, second] = run([pass(sight("1a", { stale: true })), pass(waiting)]);
    expect(first).toEqual([]);
    expect(words(second)).toEqual(["appeared 1a false"]);
  });

  test("a pane that goes gives one transition, whether or not it was ever captured", () => {
    const stale = sight("1a", { stale: true });
    const [, second, third] = run([pass(stale, sight("2a")), pass(), pass()]);
    expect(words(second)).toEqual(["gone 1a false", "gone 2a false"]);
    expect(third).toEqual([]);
  });
});

const publication = fc.record({
  hasFailed: fc.boolean(),
  panes: fc.uniqueArray(
    fc.record({
      identity: fc.constantFrom("1a", "1b", "2a", "3a"),
      status: fc.constantFrom("idle" as const, "working" as const, "needs_input" as const),
      prompt_since: fc.constantFrom(null, 1, 2),
      stale: fc.boolean(),
    }),
    { selector: ({ identity }) => identity },
  ),
});

const factsOf = (seen: Pick<PaneSight, "state"> | null | undefined) =>
  seen ? [seen.state.status, seen.state.prompt_since] : null;

test("for any passes: transitions lead to the listed panes, and news is only what was watched", () => {
  forAll([fc.array(publication, { maxLength: 12 })], (publications) => {
    const followed = new Map<string, PaneSight>();
    const stale = new Set<string>();
    let [past, hasBegun, hadFailed] = [NO_HISTORY, false, false];
    for (const { hasFailed, panes } of publications) {
      const sights = panes.map(({ identity, ...state }) => sight(identity, state));
      const next = diffPasses(past, { sights, hasFailed });
      past = next.past;
      if (hasFailed) {
        expect(next.transitions).toEqual([]);
        hadFailed = true;
        continue;
      }
      for (const { identity, pane: now, before, isNews } of next.transitions) {
        expect(factsOf(before)).toEqual(factsOf(followed.get(identity)));
        const isUnwatched = !hasBegun || hadFailed || (before && stale.has(identity));
        if (isUnwatched && now?.state.status !== "needs_input") expect(isNews).toBe(false);
        if (now === null) followed.delete(identity);
        else followed.set(identity, now);
      }
      const fresh = sights.filter(({ state }) => !state.stale);
      for (const { identity, state } of fresh) {
        expect(factsOf(followed.get(identity))).toEqual(factsOf({ state }));
      }
      const listed = new Set(sights.map(({ identity }) => identity));
      for (const identity of followed.keys()) expect(listed.has(identity)).toBe(true);
      stale.clear();
      for (const { identity, state } of sights) if (state.stale) stale.add(identity);
      [hasBegun, hadFailed] = [true, false];
    }
  });
});

test("the hub gives transitions of hidden panes too, and none of panes that did not change", async () => {
  const stage = PollerStage.open();
  const shell = stage.provider.open({ command: "bash", text: "$ " });
  const other = stage.provider.open({ text: "nothing" });
  const first = await stage.start();
  expect(words(first.transitions)).toEqual(
    ["appeared", "appeared"].map((kind, index) => `${kind} 1/%${index + 1}/${index + 1000} false`),
  );
  expect(first.sights.map(({ isShown }) => isShown)).toEqual([false, true]);
  expect((await stage.pass()).transitions).toEqual([]);
  stage.provider.show(other.id, "Overwrite it? (y/n)");
  stage.provider.close(shell.id);
  const { transitions } = await stage.pass();
  expect(transitions.map(kindOf)).toEqual(["changed", "gone"]);
  expect(transitions).toMatchObject([
    { pane: { state: { id: other.id } }, isNews: true },
    { before: { state: { id: shell.id } } },
  ]);
  stage.provider.listError = new Error("lost");
  const failed = await stage.pass();
  expect(failed).toMatchObject({ hasFailed: true, transitions: [] });
  expect(failed.sights).toHaveLength(1);
  await stage.poller.stop();
});
