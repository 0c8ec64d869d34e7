import type { Flags } from "../config/resolve.ts";
import { printedJson } from "../lib/json.ts";
import { print } from "../lib/print.ts";
import type { Act } from "../protocol/act.ts";
import { type AccessEvent, RecordReply } from "../protocol/acts.ts";
import { stripControls } from "../lib/words.ts";
import { askFor } from "./ask-service.ts";

const LOOK_AGAIN_MS = 1000;

export type LogEntry = (Act | AccessEvent) & { seq: number };

/**
 * `panewatch log`: the newest page of the record, oldest first; `--follow` prints later entries
 * too.
 */
export async function printLog(flags: Flags & { follow?: boolean | undefined }): Promise<number> {
  const printAll = (entries: readonly LogEntry[]) => {
    for (const entry of entries) print(renderEntry(entry, flags.json === true));
  };
  const first = await readPage(flags, null);
  if (!flags.follow) {
    printAll(first.entries);
    return 0;
  }
  const news = new NewEntries();
  printAll(news.take(first.entries));
  while (true) {
    await Bun.sleep(LOOK_AGAIN_MS);
    // It goes on over a restart of the service.
    printAll(news.take(await readSince(flags, news.printedTo).catch(() => [])));
  }
}

/** Selects entries that are not printed yet; an act is printed once its result is known. */
export class NewEntries {
  readonly #printed = new Set<number>();
  printedTo = 0;

  /** @param entries up to the newest one of the record */
  take(entries: readonly LogEntry[]): LogEntry[] {
    // The record has started again, as one in memory does with each start of the service.
    const newest = entries.at(-1)?.seq ?? this.printedTo;
    if (newest < this.printedTo) {
      this.#printed.clear();
      this.printedTo = 0;
    }
    const isOpen = (entry: LogEntry) => "state" in entry && entry.state === "sending";
    const unprinted = entries.filter(
      (entry) => entry.seq > this.printedTo && !this.#printed.has(entry.seq) && !isOpen(entry),
    );
    for (const { seq } of unprinted) this.#printed.add(seq);
    const open = entries.find((entry) => entry.seq > this.printedTo && isOpen(entry));
    this.printedTo = Math.max(this.printedTo, open ? open.seq - 1 : (entries.at(-1)?.seq ?? 0));
    for (const seq of this.#printed) if (seq <= this.printedTo) this.#printed.delete(seq);
    return unprinted;
  }
}

export function renderEntry(entry: LogEntry, isJson: boolean): string {
  if (isJson) return printedJson(entry);
  const { at, by, kind } = entry;
  const when = new Date(at * 1000);
  const day = when.toLocaleDateString("sv");
  const words = [`${day} ${when.toTimeString().slice(0, 8)}`, by.name, ...wordsOf(entry, kind)];
  return `${stripControls(words.filter((word) => word !== "").join("  "))}\n`;
}

function wordsOf(entry: LogEntry, kind: string): string[] {
  const what = kind.replaceAll("_", " ");
  if (!("state" in entry)) {
    const { count, what: subject } = entry;
    return [what, subject, count > 1 ? `${count} times` : ""];
  }
  const { target, pane_id, label, state, reason, about } = entry;
  const fate = reason === null ? state : `${state}: ${reason.replaceAll("_", " ")}`;
  return [target || pane_id, label === "" ? what : `${what}: ${label}`, fate, about?.text ?? ""];
}

async function readSince(flags: Flags, seq: number): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for (let before: number | null = null; ;) {
    const page: Page = await readPage(flags, before);
    entries.unshift(...page.entries);
    before = page.before;
    if (before === null || before <= seq) return entries;
  }
}

interface Page {
  entries: LogEntry[];
  before: number | null;
}

/** @throws StartupError */
async function readPage(flags: Flags, before: number | null): Promise<Page> {
  const query = before === null ? "" : `?before=${before}`;
  const page = await askFor(flags, { method: "GET", path: `/api/acts${query}` }, RecordReply);
  const entries = [...page.acts, ...page.events].toSorted((a, b) => a.seq - b.seq);
  return { entries, before: page.before };
}
