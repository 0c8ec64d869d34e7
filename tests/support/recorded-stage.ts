import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { appendFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { z } from "zod";
import { type Recording, recordingOf } from "../agents/support/recordings.ts";
import type { Play } from "./recorded-program.ts";
import { PrivateTmux } from "./tmux.ts";

const ROOT = join(import.meta.dir, "../fixtures/logs");
const PROGRAM = join(import.meta.dir, "recorded-program.ts");
/** Of the recorded screens. */
const SIZE = { width: 120, height: 40 };

/** How each program is called, what it is told to go on with a session, and its window's title. */
const PROGRAMS = {
  "agent-a": { command: "claude", session: "--session-id", title: "✳ Claude Code" },
  "agent-b": { command: "codex", session: "resume", title: "shop" },
} as const;

const Arrival = z.object({
  /** Of the agent. */
  name: z.string(),
  /** What it showed when the key came. */
  screen: z.string(),
  data: z.string(),
});
type Arrival = z.infer<typeof Arrival>;

interface Cast {
  /** Of its window. */
  name: string;
  runtime: Recording["runtime"];
  recording: string;
  /** Which of the recording's sessions. */
  session?: string;
  /** False: the command does not name the session. */
  isNamed?: boolean;
  /** The mark at which it begins: its screen is drawn, and its log is as long as it was. */
  at: string;
  /** Screen -> key -> next screen. */
  keys?: Play["keys"];
  /** Screens beside those of the marks. */
  screens?: Readonly<Record<string, string>>;
}

/** Recorded agents in real panes of a tmux server of their own, with a home for their logs. */
export class RecordedStage {
  readonly tmux: PrivateTmux;
  /** Home folders as the configuration names them. */
  readonly homes: {
    readonly "agents.agent_a_home": string;
    readonly "agents.agent_b_home": string;
  };
  readonly #folder: string;
  readonly #panes = new Map<string, string>();

  private constructor(tmux: PrivateTmux, folder: string) {
    this.tmux = tmux;
    this.#folder = folder;
    this.homes = {
      "agents.agent_a_home": join(folder, ".claude"),
      "agents.agent_b_home": join(folder, ".codex"),
    };
  }

  static async open(): Promise<RecordedStage> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "panewatch-stage-")));
    for (const { command } of Object.values(PROGRAMS))
      await symlink(PROGRAM, join(folder, command));
    return new RecordedStage(await PrivateTmux.start(SIZE), folder);
  }

  async enter(cast: Cast): Promise<RecordedAgent> {
    const { name, runtime, recording, at } = cast;
    const log = await this.log(cast);
    const cwd = this.folderOf(name);
    await log.grow(at);
    const play: Play = {
      ...{ title: PROGRAMS[runtime].title, start: at, keys: cast.keys ?? {}, name },
      screens: { ...screensOf(runtime, recording), ...cast.screens },
      arrivals: this.#arrivals,
      cue: join(this.#folder, `${name}.cue`),
    };
    const script = join(this.#folder, `${name}.json`);
    writeFileSync(script, JSON.stringify(play));
    const program = join(this.#folder, PROGRAMS[runtime].command);
    const pane = await this.tmux.command(
      ...["new-window", "-d", "-t", "main:", "-n", name, "-c", cwd, "-P", "-F", "#{pane_id}"],
      // The recorded screens draw their folder as `~/shop`.
      ...["-e", `HOME=${dirname(cwd)}`],
      ...[process.execPath, "--no-env-file", program],
      ...(cast.isNamed === false ? [] : [PROGRAMS[runtime].session, log.sessionId]),
      script,
    );
    this.#panes.set(name, pane);
    return new RecordedAgent(log, play);
  }

  /** The log of another session in the folder of this agent. */
  async log(cast: Pick<Cast, "name" | "runtime" | "recording" | "session">): Promise<RecordedLog> {
    const { name, runtime, recording, session } = cast;
    const cwd = this.folderOf(name);
    await mkdir(cwd, { recursive: true });
    return new RecordedLog({
      ...{ runtime, name: recording, home: this.#folder, cwd },
      ...(session === undefined ? {} : { session }),
    });
  }

  /** In which the agent of this name works; called as on the recorded screens. */
  folderOf(name: string): string {
    return join(this.#folder, "work", name, "shop");
  }

  /** Pane of the agent of this name. */
  paneOf(name: string): string {
    return this.#panes.get(name) ?? "";
  }

  /** Everything that any agent was sent, in its order. */
  get arrivals(): Arrival[] {
    if (!existsSync(this.#arrivals)) return [];
    const lines = readFileSync(this.#arrivals, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => Arrival.parse(JSON.parse(line)));
  }

  async close(): Promise<void> {
    await this.tmux.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #arrivals(): string {
    return join(this.#folder, "arrivals");
  }
}

/** A recorded agent: its screen and its log move on apart, as those of a real one do. */
export class RecordedAgent {
  readonly #log: RecordedLog;
  readonly #play: Play;

  constructor(log: RecordedLog, play: Play) {
    this.#log = log;
    this.#play = play;
  }

  /** As its log names it. */
  get sessionId(): string {
    return this.#log.sessionId;
  }

  /** Draws another screen. */
  show(screen: string): void {
    const { cue, screens } = this.#play;
    if (screens[screen] === undefined) throw new Error(`no screen ${screen}`);
    writeFileSync(`${cue}.new`, screen);
    renameSync(`${cue}.new`, cue);
  }

  /** Its log grows as far as it was at this mark. */
  grow(mark: string): Promise<void> {
    return this.#log.grow(mark);
  }

  /** Moves screen and log on, as a person at the desk does. */
  async goOn(mark: string): Promise<void> {
    this.show(mark);
    await this.grow(mark);
  }
}

/** The screens that were recorded with a log, by mark. */
export function screensOf(
  runtime: Recording["runtime"],
  recording: string,
): Record<string, string> {
  const folder = join(ROOT, runtime, recording, "screens");
  const names = [...new Bun.Glob("*.txt").scanSync(folder)];
  return Object.fromEntries(
    names.map((name) => [name.slice(0, -4), readFileSync(join(folder, name), "utf8")]),
  );
}

const UUID = /\b([0-9a-f]{8})(-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const RECORDED_FOLDER = "/home/dev/shop";

interface RecordedLogOptions {
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
class RecordedLog {
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
    this.sessionId = this.#rename(recorded.id);
    this.#file = join(home, this.#rename(path));
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
    const dated = this.#redate(this.#rename(text)).replaceAll(RECORDED_FOLDER, this.#cwd);
    this.#size = size;
    await appendFile(this.#file, dated);
  }

  /** Gives every id a new head, so that no other log of this recording has it. */
  #rename(text: string): string {
    return text.replace(UUID, (_, head: string, rest: string) => {
      const other = (Number.parseInt(head, 16) ^ this.#salt) >>> 0;
      return other.toString(16).padStart(8, "0") + rest;
    });
  }

  /** Moves times to now: distances stay, and no record is older than the one before it. */
  #redate(text: string): string {
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
