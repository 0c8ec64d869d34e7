import type { Flags } from "../../config/resolve.ts";
import { StartupError } from "../../errors.ts";
import { printedJson } from "../../lib/json.ts";
import { complain, print } from "../../lib/print.ts";
import type { PaneState } from "../../protocol/pane.ts";
import { stripControls } from "../../lib/words.ts";
import { paneFacts } from "./list.ts";
import {
  findPane,
  followPanes,
  parsePaneName,
  type StateWord,
  stateWordOf,
} from "./service-panes.ts";

type WaitState = StateWord | "gone";

interface PaneChange {
  pane: PaneState;
  /** Null for a new pane. */
  from: StateWord | null;
  to: WaitState;
}

export function transitions(
  before: ReadonlyMap<string, PaneState>,
  now: readonly PaneState[],
): PaneChange[] {
  const there = new Set(now.map(({ id }) => id));
  const gone = [...before.values()].filter(({ id }) => !there.has(id));
  return [
    ...gone.map((pane) => ({ pane, from: stateWordOf(pane), to: "gone" as const })),
    ...now.flatMap((pane) => {
      const old = before.get(pane.id);
      const [from, to] = [old ? stateWordOf(old) : null, stateWordOf(pane)];
      return from === to ? [] : [{ pane, from, to }];
    }),
  ];
}

const byId = (panes: readonly PaneState[]) => new Map(panes.map((pane) => [pane.id, pane]));

export async function watchPanes(flags: Flags): Promise<number> {
  let before: ReadonlyMap<string, PaneState> | null = null;
  for await (const panes of followPanes(flags)) {
    // The first list is no transition.
    for (const one of before === null ? [] : transitions(before, panes))
      print(renderTransition(one, flags.json === true));
    before = byId(panes);
  }
  return 0;
}

function renderTransition({ pane, from, to }: PaneChange, isJson: boolean): string {
  if (isJson) return printedJson({ at: Date.now() / 1000, from, to, ...paneFacts(pane) });
  const { prompt, target, question } = paneFacts(pane);
  const time = new Date().toTimeString().slice(0, 8);
  const name = to === "gone" ? target : (prompt ?? target);
  const asked = to === "waiting" ? (question ?? "") : "";
  return `${stripControls(`${time}  ${name}  ${from ?? "new"} -> ${to}  ${asked}`)}\n`;
}

/**
 * `panewatch wait [PANE...]`: until one of the panes is in one of the states; it may be already. 0:
 * that pane is printed; 1: the time is over, or none of the panes is listed any more.
 * @throws StartupError for an unknown pane or state
 */
export async function waitForPane(
  flags: Flags & { _: readonly string[] } & Readonly<
      Record<"until" | "timeout", string | undefined>
    >,
  known: readonly WaitState[],
): Promise<number> {
  const until = untilOf(flags.until, known);
  const timeout = timeoutOf(flags.timeout);
  const following = followUntil(flags, until);
  const reached = await (timeout
    ? Promise.race([following, Bun.sleep(timeout.ms).then(() => "late" as const)])
    : following);
  if (reached === "late") complain(`no pane was ${[...until].join(" or ")} within the time`);
  else if (reached === null)
    complain(`${flags._.join(", ")}: not listed any more: it has ended, or is an idle shell`);
  else {
    print(renderReached(reached, flags.json === true));
    return 0;
  }
  return 1;
}

/** Null where every named pane is gone. Without names every pane counts, also later ones. */
async function followUntil(
  flags: Flags & { _: readonly string[] },
  until: ReadonlySet<WaitState>,
): Promise<PaneChange | null> {
  const names = flags._;
  let before: ReadonlyMap<string, PaneState> = new Map();
  let named: Set<string> | null = null;
  for await (const panes of followPanes(flags)) {
    if (names.length > 0)
      named ??= new Set(names.map((name) => findPane(panes, parsePaneName(name).pane).id));
    // `before` is empty at first, so that states that hold already count.
    for (const change of transitions(before, panes)) {
      if (named && !named.has(change.pane.id)) continue;
      if (until.has(change.to)) return change;
      if (change.to === "gone") named?.delete(change.pane.id);
    }
    if (named?.size === 0) return null;
    before = byId(panes);
  }
  return null;
}

function renderReached({ pane, to }: PaneChange, isJson: boolean): string {
  const facts = paneFacts(pane);
  if (isJson) return printedJson({ ...facts, state: to });
  const name = to === "waiting" ? (facts.prompt ?? facts.target) : facts.target;
  return `${stripControls(`${name} ${to} ${to === "waiting" ? (facts.question ?? "") : ""}`)}\n`;
}

function untilOf(typed: string | undefined, known: readonly WaitState[]): ReadonlySet<WaitState> {
  if (typed === undefined) return new Set(known);
  const words = typed.split(",").map((word) => word.trim());
  const unknown = words.find((word) => !known.some((one) => one === word));
  if (unknown !== undefined)
    throw new StartupError(`--until knows no ${JSON.stringify(unknown)}: ${known.join(", ")}`);
  return new Set(known.filter((word) => words.includes(word)));
}

/** A timer with a longer delay, above 2^31 - 1 ms, fires at once. */
const MAX_TIMEOUT_SECONDS = 2_147_483;

/** Null: without end. @throws StartupError */
export function timeoutOf(typed: string | undefined): { ms: number } | null {
  if (typed === undefined) return null;
  const seconds = Number(typed);
  if (typed.trim() !== "" && seconds >= 0 && seconds <= MAX_TIMEOUT_SECONDS)
    return { ms: seconds * 1000 };
  const what = `seconds, at most ${MAX_TIMEOUT_SECONDS} (24 days)`;
  throw new StartupError(`--timeout needs ${what}, not ${JSON.stringify(typed)}`);
}
