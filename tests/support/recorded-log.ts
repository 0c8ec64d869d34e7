import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Recording, recordingOf } from "../agents/support/recordings.ts";

const UUID = /\b([0-9a-f]{8})(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const RECORDED_FOLDER = "/home/dev/shop";

export interface RecordedLogOptions {
  runtime: Recording["runtime"];
  /** Of the recording. */
  name: string;
  /** Which of the recording's sessions. */
  session?: string;
  /** Where `.claude` and `.codex` lie. */
  home: string;
  /** The folder in which the agent works. */
  cwd: string;
}

/**
 * The log of one recorded session, written once more: by the sizes that it was seen at, as a session
 * of its own (other ids), in another folder, and at the time of writing.
 */
export class RecordedLog {
  readonly sessionId: string;
  readonly #recording: Recording;
  /** In the recording. */
  readonly #path: string;
  readonly #bytes: Buffer;
  readonly #file: string;
  readonly #cwd: string;
  readonly #salt = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  #size = 0;
  /** Epoch milliseconds of the newest record. */
  #writtenAt = 0;

  constructor({ runtime, name, session = "A", home, cwd }: RecordedLogOptions) {
    this.#recording = recordingOf(runtime, name);
    const recorded = this.#recording.sessions[session];
    if (!recorded) throw new Error(`no session ${session} in ${name}`);
    const paths = [...this.#recording.files.entries()];
    const [path, bytes] = paths.find(([each]) => each.includes(recorded.id)) ?? [];
    if (path === undefined || bytes === undefined) throw new Error(`no log of ${session}`);
    this.#path = path;
    this.#bytes = bytes;
    this.#cwd = cwd;
    this.sessionId = this.#renamed(recorded.id);
    this.#file = join(home, this.#renamed(path));
  }

  /** Writes on as far as the log was at this mark, in the steps in which it grew. */
  async grow(mark: string): Promise<void> {
    const end = this.#recording.marks.find(({ name }) => name === mark)?.sizes[this.#path];
    if (end === undefined) throw new Error(`no mark ${mark} in ${this.#recording.name}`);
    await mkdir(dirname(this.#file), { recursive: true });
    if (this.#size === 0) await writeFile(this.#file, "");
    const sizes = this.#recording.sizes.get(this.#path) ?? [];
    for (const size of [...sizes.filter((each) => each > this.#size && each < end), end])
      await this.#append(size);
  }

  async #append(size: number): Promise<void> {
    const text = this.#bytes.subarray(this.#size, size).toString("utf8");
    const dated = this.#dated(this.#renamed(text)).replaceAll(RECORDED_FOLDER, this.#cwd);
    this.#size = size;
    await appendFile(this.#file, dated);
  }

  /** Ids under which nothing else of this recording is known. */
  #renamed(text: string): string {
    return text.replace(UUID, (_, head: string, rest: string) => {
      const other = (Number.parseInt(head, 16) ^ this.#salt) >>> 0;
      return other.toString(16).padStart(8, "0") + rest;
    });
  }

  /** Their distances stay, and nothing is older than what stands before it. */
  #dated(text: string): string {
    const end = Math.max(...[...text.matchAll(TIME)].map(([time]) => Date.parse(time)));
    const now = Date.now();
    const earliest = this.#writtenAt;
    this.#writtenAt = Math.max(earliest, now);
    return text.replace(TIME, (time) => {
      const at = now - (end - Date.parse(time));
      return new Date(Math.max(earliest, at)).toISOString();
    });
  }
}
