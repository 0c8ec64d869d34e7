import { readEventLine } from "./event-line.ts";

/**
 * A stream begins with all that the server remembers, and nothing says where that ends: so long after
 * its start every line is news.
 */
const REPLAY_MS = 1000;
const MAX_LINE_CHARS = 1024 * 1024;

interface Heard {
  started(): void;
  event(): void;
  wrong(why: string): void;
}

/** Cuts the stream into lines, and tells what happens from what is only replayed. */
export class EventReader {
  readonly #id: string;
  readonly #heard: Heard;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #rest = "";
  #isFirst = true;
  #isReplaying: boolean;
  #hasReplayed = false;
  #replay: Timer | null = null;

  constructor({ id, replays }: { id: string; replays: boolean }, heard: Heard) {
    this.#id = id;
    this.#isReplaying = replays;
    this.#heard = heard;
  }

  take(data: Uint8Array): void {
    const text = this.#decode(data);
    if (text === null) return this.#heard.wrong("a line is not UTF-8");
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) if (!this.#line(line)) return;
    if (this.#rest.length > MAX_LINE_CHARS) this.#heard.wrong("a line is too long");
  }

  end(): void {
    clearTimeout(this.#replay ?? undefined);
  }

  /** False when the stream is over with it. */
  #line(line: string): boolean {
    const read = readEventLine(line, this.#id, this.#isFirst);
    this.#isFirst = false;
    if (read.kind === "wrong") {
      this.#heard.wrong(`a line cannot be read: ${read.why}`);
      return false;
    }
    if (read.kind === "started") {
      if (this.#isReplaying) this.#replay = setTimeout(() => this.#endReplay(), REPLAY_MS);
      this.#heard.started();
    } else if (read.kind === "status" || !this.#isReplaying) this.#heard.event();
    else this.#hasReplayed = true;
    return true;
  }

  // What looked like history may have been news.
  #endReplay(): void {
    this.#isReplaying = false;
    if (this.#hasReplayed) this.#heard.event();
  }

  #decode(data: Uint8Array): string | null {
    try {
      return this.#decoder.decode(data, { stream: true });
    } catch {
      // Told as wrong by the caller.
      return null;
    }
  }
}
