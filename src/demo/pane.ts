import { StartupError } from "../errors.ts";
import { type AgentState, press, startAgent, tick } from "./agent.ts";
import { draw, type Size } from "./draw.ts";
import {
  drawLimited,
  limitedEntries,
  type LimitedState,
  pressLimited,
  startLimited,
  tickLimited,
} from "./limited.ts";
import {
  DISCOUNTS,
  FRESH_A,
  FRESH_B,
  PERMISSIONS,
  type SampleRuntime,
  type Script,
  SEARCH,
  STORAGE,
} from "./scripts.ts";
import { type SampleSession, SessionFile } from "./sessions/session-file.ts";
import { entriesOf, type SessionEntry } from "./sessions/story.ts";
import {
  type Beginning,
  BUSY,
  drawWorker,
  pressWorker,
  RESTING,
  startWorker,
  tickWorker,
  workerEntries,
  type WorkerState,
} from "./worker.ts";

export interface Lines {
  print(text: string): void;
  /** The next line that is typed; null at the end of input. */
  readLine(): Promise<string | null>;
  sleep(seconds: number): Promise<void>;
}

export type LineProgram = (lines: Lines) => Promise<void>;

const FILES = ["app.tar.gz", "CHANGES.md", "SHA256SUMS"];
const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const MODULES = ["core", "checkout", "orders", "search", "admin"];

/** Asks before it overwrites each of its files, again and again. */
export const release: LineProgram = async ({ print, readLine, sleep }) => {
  print("Sample program of `panewatch demo`: it writes nothing.\n\n");
  for (let round = 0; ; round++) {
    const file = FILES[round % FILES.length];
    print(`Packing release/${file}\n`);
    await sleep(1);
    print(`release/${file} exists already. Overwrite? [y/N] `);
    const answer = await readLine();
    if (answer === null) return;
    print(/^y/i.test(answer.trim()) ? `Wrote release/${file}.\n\n` : `Kept release/${file}.\n\n`);
    await sleep(8);
  }
};

/** Works without end, with a spinner that redraws its row. */
export const build: LineProgram = async ({ print, sleep }) => {
  print("Sample program of `panewatch demo`: it builds nothing.\n\n");
  for (let step = 0; ; step++) {
    const name = MODULES[Math.floor(step / 40) % MODULES.length];
    print(`\r\x1b[K${SPINNER[step % SPINNER.length]} compiling ${name} (${Math.floor(step / 4)}s)`);
    if (step % 40 === 39) print(`\r\x1b[K✓ ${name}\n`);
    await sleep(0.25);
  }
};

/** Fails, stays so, and can be run again with Enter. */
export const imports: LineProgram = async ({ print, readLine, sleep }) => {
  for (;;) {
    print("Sample program of `panewatch demo`: the failure is drawn.\n\nReading orders.csv\n");
    await sleep(3);
    print(
      "Traceback (most recent call last):\n" +
        '  File "import_orders.py", line 42, in <module>\n' +
        "    total = float(row[3])\n" +
        "ValueError: could not convert string to float: 'n/a'\n\n" +
        "(an empty line runs it again)\n",
    );
    if ((await readLine()) === null) return;
    print("\x1b[H\x1b[2J");
  }
};

/** A sample agent: pure, but for the terminal that it is shown in. */
interface Sample<State> {
  title: string;
  runtime: SampleRuntime;
  start: (now: number) => State;
  tick: (state: State, now: number) => State;
  press: (state: State, key: string) => State;
  draw: (state: State, size: Size) => string[];
  /** What its log says of a change; null: it has just begun. */
  log: (before: State | null, after: State) => SessionEntry[];
}

type RunAgent = (run: Run) => Promise<void>;

interface Run {
  /** How many seconds of the sample agent pass in one. */
  pace: number;
  /** Null: it is not logged. */
  session: SampleSession | null;
}

const AGENTS: Readonly<Record<string, RunAgent>> = {
  permission: (run) => runAgent(asking("✳ Ship the checkout fix (demo)", PERMISSIONS), run),
  questions: (run) => runAgent(asking("✳ Set up storage (demo)", STORAGE), run),
  discounts: (run) => runAgent(asking("✳ Add discounts (demo)", DISCOUNTS), run),
  search: (run) => runAgent(asking("Search (demo)", SEARCH), run),
  worker: (run) => runAgent(worker("Orders (demo)"), run),
  busy: (run) => runAgent(worker("Catalogue (demo)", BUSY), run),
  limited: (run) => runAgent(LIMITED, run),
  fresh_a: (run) => runAgent(told(asking("✳ Claude Code (demo)", FRESH_A)), run),
  fresh_b: (run) => runAgent(told(asking("Codex (demo)", FRESH_B)), run),
};
const PROGRAMS: Readonly<Record<string, LineProgram>> = { release, build, imports };

const FRAME_MS = 250;

/**
 * Runs one sample program in this terminal until it is closed; the result is the exit code.
 *
 * @param args its name, its pace and the home of the demo; of an agent whose session is logged also
 *   the runtime's own word for a session with its id, by which its process is known
 */
export async function runDemoPane(args: readonly string[]): Promise<number> {
  const [name = "", pace = "1", home = "", , id] = args;
  const agent = AGENTS[name];
  const program = PROGRAMS[name];
  const session = id === undefined ? null : { id, home };
  if (agent) await agent({ pace: Number(pace), session });
  else if (program) await runLines(program);
  else throw new StartupError(`there is no sample program ${JSON.stringify(name)}`);
  return 0;
}

function asking(title: string, script: Script): Sample<AgentState> {
  return {
    ...{ title, runtime: script.runtime, start: startAgent },
    tick: (state, now) => tick(state, now, script),
    press: (state, key) => press(state, key, script),
    draw: (state, size) => draw(state, script, size),
    log: (before, after) => entriesOf(before, after, script),
  };
}

function told(sample: Sample<AgentState>): Sample<AgentState> {
  return { ...sample, start: (now) => ({ ...sample.start(now), phase: "idle" }) };
}

function worker(title: string, begin: Beginning = RESTING): Sample<WorkerState> {
  return {
    start: (now) => startWorker(now, begin),
    ...{ title, runtime: "agent_b", tick: tickWorker, press: pressWorker },
    ...{ draw: drawWorker, log: workerEntries },
  };
}

/** A limit is told by the clock on the wall. */
const wall = () => Date.now() / 1000;
const LIMITED: Sample<LimitedState> = {
  ...{ title: "✳ Translate the pages (demo)", runtime: "agent_a", press: pressLimited },
  ...{ draw: drawLimited, log: limitedEntries },
  start: (now) => startLimited(now, wall()),
  tick: (state, now) => tickLimited(state, now, wall()),
};

async function runAgent<State>(sample: Sample<State>, { pace, session }: Run): Promise<void> {
  const { stdin, stdout } = process;
  const seconds = () => (performance.now() / 1000) * pace;
  const file = session && new SessionFile(sample.runtime, session);
  let state = sample.start(seconds());
  file?.write(sample.log(null, state));
  let shown = "";
  const become = (next: State) => {
    file?.write(sample.log(state, next));
    state = next;
  };
  const show = () => {
    const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    const screen = sample.draw(state, size).join("\r\n");
    if (screen !== shown) stdout.write(`\x1b[H\x1b[2J${screen}`);
    shown = screen;
  };
  stdout.write(`\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b]2;${sample.title}\x07`);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  const frames = setInterval(() => {
    become(sample.tick(state, seconds()));
    show();
  }, FRAME_MS);
  show();
  for await (const chunk of stdin) {
    for (const key of keysOf(String(chunk))) {
      become(sample.press(state, key));
      if (key === "\x03") return clearInterval(frames);
    }
    show();
  }
  clearInterval(frames);
}

async function runLines(program: LineProgram): Promise<void> {
  const lines = console[Symbol.asyncIterator]();
  await program({
    print: (text) => void process.stdout.write(text),
    readLine: async () => {
      const { value, done } = await lines.next();
      return done ? null : value;
    },
    sleep: (seconds) => Bun.sleep(seconds * 1000),
  });
}

const KEYS: Readonly<Record<string, string>> = {
  "\r": "Enter",
  "\n": "Enter",
  "\x1b": "Escape",
  "\x7f": "Backspace",
  "\x15": "Clear",
  "\t": "Tab",
  "\x1b[A": "Up",
  "\x1bOA": "Up",
  "\x1b[B": "Down",
  "\x1bOB": "Down",
};

/** What one read holds: named keys, else single characters. A line break of a paste is `\n`. */
export function keysOf(chunk: string): string[] {
  const found = chunk.matchAll(/\x1b\[200~([^]*?)\x1b\[201~|\x1b[[O][A-Z]|[^]/gu);
  return [...found].flatMap(([key, pasted]) =>
    pasted === undefined ? [KEYS[key] ?? key] : [...pasted.replace(/\r\n?/g, "\n")],
  );
}
