import { sha256 } from "../../lib/digest.ts";
import type { LogRecord } from "./projection.ts";
import {
  headOf,
  MAX_LINE_BYTES,
  recordEvents,
  recordIn,
  type RuntimeReader,
} from "./runtimes/reader.ts";
import type { LogPosition } from "../store/logs.ts";

/** Read between two pauses; a longer line takes as many as it needs, up to its limit. */
const STEP_BYTES = 128 * 1024;
/** Bytes before the position that are compared: if they differ, the file was rewritten. */
const ANCHOR_BYTES = 64;
const NEWLINE = 10;

export interface LogFile {
  path: string;
  size: number;
  /** Epoch seconds. */
  born: number;
  /** Epoch seconds. */
  changed: number;
  /** `device:inode`. */
  inode: string;
}

export interface ByteSource {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ bytesRead: number }>;
}

interface LogStep {
  log: LogPosition;
  records: LogRecord[];
  /** Nothing was consumed: the rest is an incomplete line, or empty. */
  isAtEnd: boolean;
}

/** Reads logs in steps of bounded size, all of them into one buffer. */
export class LogTail {
  readonly #buffer = Buffer.allocUnsafe(ANCHOR_BYTES + MAX_LINE_BYTES + STEP_BYTES);

  /** Reads on from the position; a file that was replaced or rewritten is read from its start. */
  async step(
    handle: ByteSource,
    file: LogFile,
    before: LogPosition,
    reader: RuntimeReader,
  ): Promise<LogStep> {
    const log = isOther(file, before) ? restart(file, before) : before;
    const anchor = anchorLength(log);
    const start = log.position - anchor;
    let length = await readInto(handle, this.#buffer, start, 0, anchor + STEP_BYTES);
    if (anchor > 0 && digest(this.#buffer.subarray(0, Math.min(anchor, length))) !== log.anchor) {
      return this.step(handle, file, restart(file, log), reader);
    }
    if (log.isSkipping) return this.#skip(log, anchor, length);
    let end = this.#buffer.subarray(0, length).lastIndexOf(NEWLINE);
    if (end < anchor && length >= anchor + STEP_BYTES) {
      length = await readInto(handle, this.#buffer, start, length, anchor + MAX_LINE_BYTES + 1);
      end = this.#buffer.subarray(0, length).indexOf(NEWLINE, anchor);
    }
    if (end >= anchor) return this.#consume(log, { anchor, end: end + 1 }, reader);
    if (length <= anchor + MAX_LINE_BYTES) return { log, records: [], isAtEnd: true };
    const lost = this.#lost(log.position, anchor, reader);
    return this.#move({ ...log, isSkipping: true }, { anchor, end: length }, lost);
  }

  /** Inside a line that is too long: goes on to its end, or as far as a step goes. */
  #skip(log: LogPosition, anchor: number, length: number): LogStep {
    if (length <= anchor) return { log, records: [], isAtEnd: true };
    const newline = this.#buffer.subarray(0, length).indexOf(NEWLINE, anchor);
    const end = newline < 0 ? length : newline + 1;
    return this.#move({ ...log, isSkipping: newline < 0 }, { anchor, end }, []);
  }

  #consume(
    log: LogPosition,
    { anchor, end }: { anchor: number; end: number },
    reader: RuntimeReader,
  ): LogStep {
    const records: LogRecord[] = [];
    for (let from = anchor; from < end;) {
      const to = this.#buffer.indexOf(NEWLINE, from);
      const offset = log.position + from - anchor;
      const record = recordIn(reader, this.#buffer, [from, to]);
      const events = record === null ? [] : recordEvents(reader, record);
      if (to - from > MAX_LINE_BYTES) records.push(...this.#lost(offset, from, reader));
      else if (events.length > 0) records.push({ offset, events });
      from = to + 1;
    }
    return this.#move(log, { anchor, end }, records);
  }

  /** For a line that is too long: no loss where its head tells that it holds no message. */
  #lost(offset: number, from: number, reader: RuntimeReader): LogRecord[] {
    const head = headOf(this.#buffer, from, this.#buffer.length);
    if (reader.silent.test(head) || reader.result.test(head)) return [];
    return [{ offset, events: [{ kind: "loss", at: null }] }];
  }

  #move(
    log: LogPosition,
    { anchor, end }: { anchor: number; end: number },
    records: LogRecord[],
  ): LogStep {
    const anchored = this.#buffer.subarray(Math.max(0, end - ANCHOR_BYTES), end);
    return {
      log: { ...log, position: log.position + end - anchor, anchor: digest(anchored) },
      records,
      isAtEnd: false,
    };
  }
}

/** Fills the buffer from `have` to `want`, reading from `start + have`. @returns bytes it holds */
export async function readInto(
  handle: ByteSource,
  buffer: Buffer,
  start: number,
  have: number,
  want: number,
): Promise<number> {
  let length = have;
  while (length < want) {
    const { bytesRead } = await handle.read(buffer, length, want - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
}

const UNREAD = {
  sessionId: null,
  isAside: false,
  position: 0,
  anchor: "",
  isSkipping: false,
  isDormant: false,
};

/** Another file has this path, or the file was cut below the position. */
function isOther(file: LogFile, log: LogPosition): boolean {
  return file.inode !== log.inode || file.size < log.position;
}

function restart(file: LogFile, log: LogPosition): LogPosition {
  const { born, inode } = file;
  return { ...log, ...UNREAD, born, inode, generation: log.generation + 1 };
}

/** `length:digest`; empty for no bytes. */
function digest(bytes: Uint8Array): string {
  if (bytes.length === 0) return "";
  const hash = sha256(bytes).toString("hex").slice(0, 32);
  return `${bytes.length}:${hash}`;
}

function anchorLength({ anchor }: LogPosition): number {
  return anchor === "" ? 0 : Number.parseInt(anchor, 10);
}

export function newLog(file: LogFile, runtime: LogPosition["runtime"]): LogPosition {
  const { path, born, inode } = file;
  return { ...UNREAD, path, runtime, born, inode, generation: 0, isBehind: false };
}
