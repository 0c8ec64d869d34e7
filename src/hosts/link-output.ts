import type { RunResult } from "../lib/run.ts";

export type LinkOutput =
  | { is: "ready"; version: string }
  /** `at`: epoch seconds there when the request was begun; null where `date` gave none. */
  | { is: "answer"; id: number; at: number | null; result: RunResult }
  /** The request arrived too late and was not begun. */
  | { is: "late"; id: number; at: number | null }
  | { is: "nonsense"; why: string };

/** Start-up files of a shell may print so much before the mark. */
const MAX_NOISE_BYTES = 64 * 1024;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_CHARS = 4096;

/** Parses the output of a remote shell: from the ready mark on, and of an answer what is between its marks. */
export class LinkOutputParser {
  readonly #mark: string;
  /** With room for more: the answer of a slow host comes in many pieces. */
  #buffer = Buffer.alloc(0);
  #length = 0;
  /** So many bytes hold no whole line with a mark. */
  #searched = 0;
  /** And the line of a mark that begins there does not end within so many. */
  #unended = 0;
  #isReady: boolean;
  #last: RunResult | null = null;

  constructor(mark: string, { isReady } = { isReady: false }) {
    this.#mark = mark;
    this.#isReady = isReady;
  }

  /** The text after the last answer, where no other one has begun. */
  get rest(): string {
    const rest = this.#received.toString("utf8");
    return rest.includes(this.#mark) ? "" : rest;
  }

  get #received(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  push(bytes: Uint8Array): LinkOutput[] {
    const length = this.#length + bytes.length;
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#length));
      larger.set(this.#received);
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = length;
    const outputs: LinkOutput[] = [];
    for (let next = this.#next(); next; next = this.#next()) outputs.push(next);
    return outputs;
  }

  #next(): LinkOutput | null {
    const words = this.#isReady ? ["same", "late", "done"] : ["ready"];
    const line = this.#markedLine(words);
    if (line) {
      const output = this.#read(line, this.#received.subarray(0, line.start));
      this.#drop(line.end);
      return output;
    }
    const most = this.#isReady ? MAX_ANSWER_BYTES : MAX_NOISE_BYTES;
    if (this.#received.length <= most) return null;
    this.#drop(this.#received.length);
    return { is: "nonsense", why: `more than ${most} bytes without a mark` };
  }

  #markedLine(words: readonly string[]) {
    const all = this.#received;
    for (let at = all.indexOf(this.#mark, this.#searched); at !== -1;) {
      const behind = at + this.#mark.length;
      const end = all.indexOf("\n", Math.max(behind, this.#unended));
      // The line is not whole yet: the next search begins here.
      if (end === -1) {
        this.#searched = at;
        this.#unended = all.length;
        return null;
      }
      const [word = "", ...rest] = all.toString("utf8", behind, end).trimStart().split(" ");
      if (words.includes(word)) return { start: at, end: end + 1, word, text: rest.join(" ") };
      at = all.indexOf(this.#mark, end);
    }
    this.#searched = Math.max(this.#searched, all.length - this.#mark.length);
    return null;
  }

  #read({ word, text }: { word: string; text: string }, before: Buffer): LinkOutput {
    if (word === "ready") {
      this.#isReady = true;
      return { is: "ready", version: text };
    }
    const [id = NaN, seconds = NaN] = text.split(" ").map(Number);
    const at = seconds > 0 ? seconds : null;
    if (word === "late" && Number.isInteger(id)) return { is: "late", id, at };
    const result = word === "same" ? this.#last : this.#resultOf(before);
    if (!result || !Number.isInteger(id))
      return { is: "nonsense", why: "an answer without its marks" };
    this.#last = result;
    return { is: "answer", id, at, result };
  }

  #resultOf(before: Buffer): RunResult | null {
    const opening = `${this.#mark} begin\n`;
    const begin = before.indexOf(opening);
    if (begin === -1) return null;
    const body = before.subarray(begin + opening.length);
    const separator = `${this.#mark} status `;
    const cut = body.indexOf(separator);
    const lineEnd = body.indexOf("\n", cut);
    if (cut === -1 || lineEnd === -1) return null;
    const code = Number(body.toString("utf8", cut + separator.length, lineEnd));
    if (!Number.isInteger(code)) return null;
    const stderr = body.toString("utf8", lineEnd + 1).slice(0, MAX_STDERR_CHARS);
    // A copy, so that a kept result does not keep the whole buffer.
    return { code, stdout: new Uint8Array(body.subarray(0, cut)), stderr };
  }

  #drop(bytes: number): void {
    // A copy, so that a large answer is not kept with the bytes that follow it.
    this.#buffer = Buffer.from(this.#received.subarray(bytes));
    this.#length = this.#buffer.length;
    this.#searched = 0;
    this.#unended = 0;
  }
}
