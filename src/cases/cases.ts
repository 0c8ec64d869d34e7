import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { renderScreen } from "../detect/ansi.ts";
import type { Screen } from "../detect/region.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { makePrivateDirectory, writePrivateFile } from "../lib/json-file.ts";
import { blankRuns } from "../protocol/blank.ts";
import type { CaseDraft, CaseSaved, CaseSaveRequest } from "../protocol/explain.ts";
import type { Handlers, Slice } from "../slice.ts";
import { type PaneReading, type ReadingSource, requireReading } from "../terminal/reading.ts";

export const CASES_FOLDER = "cases";
export const MAX_CASES = 100;
/** Screens held between draft and save; the oldest is dropped first. */
const MAX_DRAFTS = 8;
const DRAFT_SECONDS = 15 * 60;

interface CasesDeps {
  folder: string;
  clock: Pick<Clock, "monotonic">;
}

/**
 * Saves screens that were detected wrong, for the tests of detection. Only what the person has seen
 * and redacted is saved; nothing leaves this machine.
 */
export class Cases {
  readonly #deps: CasesDeps;
  readonly #drafts = new Map<string, { readonly reading: PaneReading; readonly until: number }>();

  constructor(deps: CasesDeps) {
    this.#deps = deps;
  }

  /** Holds the screen until the person saves it, or `DRAFT_SECONDS` pass. */
  draft(reading: PaneReading): CaseDraft {
    const now = this.#deps.clock.monotonic();
    for (const [id, { until }] of this.#drafts) if (until <= now) this.#drafts.delete(id);
    const [oldest] = this.#drafts.keys();
    if (oldest !== undefined && this.#drafts.size >= MAX_DRAFTS) this.#drafts.delete(oldest);
    const draft = randomUUID();
    this.#drafts.set(draft, { reading, until: now + DRAFT_SECONDS });
    const { state, screen, pane } = reading;
    return {
      draft,
      expires_in: DRAFT_SECONDS,
      lines: screen.lines.map(({ text }) => text),
      title: pane.title,
      command: pane.command,
      process: processOf(reading)[0] ?? null,
      kind: state.kind,
      status: state.status,
      rule: state.reason,
    };
  }

  /** @throws AppError `conflict` when the draft is gone or there are too many cases, `storage` */
  async save(request: CaseSaveRequest): Promise<CaseSaved> {
    const { draft } = request;
    const entry = this.#drafts.get(draft);
    if (!entry || entry.until <= this.#deps.clock.monotonic())
      throw new AppError("conflict", "cannot save the case: its screen is held no more", {
        reason: "draft_gone",
      });
    const { reading } = entry;
    const files = caseFiles(reading, request);
    const name = `${reading.state.agent?.id ?? reading.state.kind}-${draft.slice(0, 8)}`;
    // Before the write: the same draft, saved twice at once, must not be written by both.
    this.#drafts.delete(draft);
    try {
      await this.#write(name, files);
    } catch (error) {
      this.#drafts.set(draft, entry);
      throw error;
    }
    return { name };
  }

  async #write(name: string, files: Record<string, string>): Promise<void> {
    const { folder } = this.#deps;
    const path = join(folder, name);
    try {
      await makePrivateDirectory(folder);
      if ((await readdir(folder)).length >= MAX_CASES)
        throw new AppError("conflict", `cannot save the case: there are ${MAX_CASES} already`, {
          reason: "too_many_cases",
        });
      for (const [file, text] of Object.entries(files))
        await writePrivateFile(join(path, file), text);
    } catch (cause) {
      if (cause instanceof AppError) throw cause;
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
      const message = "cannot save the case: its folder cannot be written";
      throw new AppError("storage", message, undefined, { cause });
    }
  }
}

function caseFiles(
  reading: PaneReading,
  { blank, status, note }: Pick<CaseSaveRequest, "blank" | "status" | "note">,
): Record<string, string> {
  const { state, finding, pane } = reading;
  const clean = (text: string) => blankOut(text, blank);
  const screen: Screen = {
    lines: reading.screen.lines.map(({ text, runs }) => ({ text: clean(text), runs })),
  };
  const styled = renderScreen(screen);
  const { prompt } = finding;
  const menu = (prompt?.options ?? []).map(({ key, label, description, selected, freeform }) => ({
    key,
    label: clean(label),
    description: clean(description),
    selected,
    freeform,
  }));
  const record = {
    agent: state.agent?.id ?? state.kind,
    version: null,
    expected: {
      kind: state.kind,
      status: status ?? state.status,
      question: prompt ? clean(prompt.question) : null,
      menu,
    },
    read: { status: state.status, rule: state.reason },
    answered_by: null,
    pane: {
      command: clean(pane.command),
      title: clean(pane.title),
      width: pane.width,
      height: pane.height,
      alternate_on: pane.alternate,
    },
    processes: processOf(reading).map((words) => `process ${clean(words)}`),
    note: clean(note),
  };
  return {
    "styled.txt": styled,
    "joined.txt": screen.lines.map(({ text }) => `${text}\n`).join(""),
    "case.json": `${JSON.stringify(record, null, 2)}\n`,
  };
}

function processOf({ finding }: Pick<PaneReading, "finding">): string[] {
  const { kindRule, kindEvidence } = finding;
  return kindRule === "kind.process" && kindEvidence !== null ? [kindEvidence] : [];
}

/** Replaces words by fillers of the same length and columns, so that all else keeps its place. */
export function blankOut(text: string, words: readonly string[]): string {
  return blankRuns(text, words)
    .map((run) => (run.isBlanked ? [...run.text].map(fill).join("") : run.text))
    .join("");
}

/** Whitespace stays, so that lines still break where they did. */
function fill(char: string): string {
  if (/\s/u.test(char)) return char;
  const isWide = char.length === 1 && Bun.stringWidth(char) === 2;
  return isWide ? "ｘ" : "x".repeat(char.length);
}

export function casesSlice(deps: CasesDeps & ReadingSource): Slice {
  const cases = new Cases(deps);
  const routes: Handlers = {
    "POST /api/cases": async (c): Promise<CaseDraft> =>
      cases.draft(await requireReading(deps, c.req.valid("json").id)),
    "POST /api/cases/save": (c): Promise<CaseSaved> => cases.save(c.req.valid("json")),
  };
  return {
    name: "cases",
    routes,
    capabilities: () => ({ screen_cases_v1: { version: 1 } }),
  };
}
