import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { makePrivateDirectory, writePrivateFile } from "../lib/json-file.ts";
import type { CaseDraft, CaseSaved, CaseSaveRequest } from "../protocol/cases.ts";
import type { Reading } from "../terminal/reading.ts";
import { caseFiles, processOf } from "./case-files.ts";

/** Below the state directory. */
export const CASES_FOLDER = "cases";
export const MAX_CASES = 100;
/** Screens that are held between draft and save; the oldest is dropped first. */
const MAX_DRAFTS = 8;
const DRAFT_SECONDS = 15 * 60;
const PRIVATE_FOLDER = 0o700;

export interface CasesDeps {
  /** `{state_dir}/cases` */
  folder: string;
  clock: Pick<Clock, "monotonic">;
}

/**
 * Screens that were detected wrong, saved for the tests of detection. Only what the person has seen
 * and redacted is saved; nothing leaves this machine.
 */
export class Cases {
  readonly #deps: CasesDeps;
  readonly #drafts = new Map<string, { readonly reading: Reading; readonly until: number }>();

  constructor(deps: CasesDeps) {
    this.#deps = deps;
  }

  /** Holds a screen until the person has looked at it. */
  draft(reading: Reading): CaseDraft {
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
    const held = this.#drafts.get(draft);
    if (!held || held.until <= this.#deps.clock.monotonic())
      throw new AppError("conflict", "cannot save the case: its screen is held no more", {
        reason: "draft_gone",
      });
    const files = caseFiles(held.reading, request);
    const name = `${held.reading.state.agent?.id ?? held.reading.state.kind}-${draft.slice(0, 8)}`;
    await this.#write(name, files);
    this.#drafts.delete(draft);
    return { name };
  }

  async #write(name: string, files: Record<string, string>): Promise<void> {
    const path = join(this.#deps.folder, name);
    await this.#makeFolder(path).catch(notWritten);
    try {
      for (const [file, text] of Object.entries(files))
        await writePrivateFile(join(path, file), text);
    } catch (cause) {
      await rm(path, { recursive: true, force: true });
      notWritten(cause);
    }
  }

  async #makeFolder(path: string): Promise<void> {
    await makePrivateDirectory(this.#deps.folder);
    if ((await readdir(this.#deps.folder)).length >= MAX_CASES)
      throw new AppError("conflict", `cannot save the case: there are ${MAX_CASES} already`, {
        reason: "too_many_cases",
      });
    await mkdir(path, { mode: PRIVATE_FOLDER });
  }
}

function notWritten(cause: unknown): never {
  if (cause instanceof AppError) throw cause;
  const message = "cannot save the case: its folder cannot be written";
  throw new AppError("storage", message, undefined, { cause });
}
