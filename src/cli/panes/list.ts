import type { Flags } from "../../config/resolve.ts";
import { StartupError } from "../../errors.ts";
import { printedJson } from "../../lib/json.ts";
import type { Card } from "../../protocol/cards.ts";
import type { PaneState } from "../../protocol/pane.ts";
import { blankControls, stripControls } from "../../lib/words.ts";
import {
  findPane,
  hasRead,
  promptCode,
  readPanes,
  readStateFrame,
  stateWordOf,
} from "./service-panes.ts";

/** The JSON of `ls`, `wait` and `watch`. */
export function paneFacts(pane: PaneState) {
  const code = promptCode(pane);
  return {
    id: pane.id,
    target: pane.target,
    /** The operand of `answer`; null without a prompt. */
    prompt: code === null ? null : `${pane.target}@${code}`,
    state: stateWordOf(pane),
    /** Epoch seconds. */
    since: sinceOf(pane),
    name: pane.name,
    agent: pane.agent?.label ?? null,
    command: pane.command,
    folder: pane.cwd,
    question: pane.question,
    about: pane.about,
    options: pane.menu.map(({ key, label, freeform }) => ({ key, label, takes_text: freeform })),
  };
}

const sinceOf = ({ prompt_since, status_since }: PaneState) => prompt_since ?? status_since;

/** `panewatch ls`: every pane, the waiting ones first. */
export async function listPanes(flags: Flags): Promise<string> {
  const { panes, cards = [] } = await readStateFrame(flags, "?cards=1");
  if (panes.length === 0 && !(await hasRead(flags)))
    throw new StartupError("no pane is known yet: the multiplexer does not answer the service");
  const listed = inNeed(panes, cards);
  return flags.json ? printedJson(listed.map(paneFacts), 2) : renderList(listed, Date.now() / 1000);
}

const RANK = { waiting: 0, error: 1, working: 2, idle: 3, offline: 4 } as const;

/** By state, then in the order of the cards; panes without one by the time in their state. */
export function inNeed(panes: readonly PaneState[], cards: readonly Card[]): readonly PaneState[] {
  const places = new Map(cards.map(({ pane_id }, place) => [pane_id, place]));
  const placeOf = ({ id }: PaneState) => places.get(id) ?? cards.length;
  return panes.toSorted((a, b) => {
    const byState = RANK[stateWordOf(a)] - RANK[stateWordOf(b)];
    return byState || placeOf(a) - placeOf(b) || sinceOf(a) - sinceOf(b);
  });
}

/**
 * Columns: state, prompt or target, program, age of the state, question and subject or the error.
 */
export function renderList(panes: readonly PaneState[], nowSeconds: number): string {
  if (panes.length === 0) return "no panes; idle shells are listed with discovery.include_shells\n";
  const rows = panes.map((pane) => {
    const { state, prompt, target, agent, command, since, question, about } = paneFacts(pane);
    const age = ageText(nowSeconds - since);
    const hasSubject = (state === "waiting" || state === "error") && about?.text !== question;
    const needs = [question, hasSubject ? about?.text : null].filter((text) => text).join("  ");
    return [state, prompt ?? target, agent ?? command, age, needs].map(stripControls);
  });
  return renderColumns(rows);
}

function ageText(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** `panewatch show PANE`: the lines of its terminal, and its question with the options. */
export async function showPane(flags: Flags & { pane: string }): Promise<string> {
  const pane = findPane(await readPanes(flags), flags.pane);
  return flags.json
    ? printedJson({ ...paneFacts(pane), lines: pane.lines }, 2)
    : `${pane.lines.map(blankControls).join("\n").trimEnd()}\n${renderPrompt(pane)}`;
}

function renderPrompt(pane: PaneState): string {
  const { prompt, question, options } = paneFacts(pane);
  if (prompt === null) return "";
  const rows = options.map(
    ({ key, label, takes_text }) => `  ${key}  ${label}${takes_text ? " (takes --text)" : ""}`,
  );
  return `${["", `${prompt}  ${question ?? ""}`, ...rows].map(blankControls).join("\n")}\n`;
}

export function renderColumns(rows: readonly (readonly string[])[]): string {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count - 1 }, (_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const padded = (cell: string, width = 0) =>
    cell + " ".repeat(Math.max(0, width - Bun.stringWidth(cell)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => padded(cell, widths[column])).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
