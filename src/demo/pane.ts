import { StartupError } from "../errors.ts";
import { print } from "../lib/print.ts";
import { SampleAgent } from "./agent.ts";
import { draw } from "./draw.ts";
import { SAMPLE_AGENTS, type Script } from "./scripts.ts";
import { SessionFile } from "./session-file.ts";

type LineProgram = (readLine: () => Promise<string | null>) => Promise<void>;

const FILES = ["app.tar.gz", "CHANGES.md", "SHA256SUMS"];
const SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const MODULES = ["core", "checkout", "orders", "search", "admin"];

const PROGRAMS: Readonly<Record<string, LineProgram>> = {
  /** Asks before it overwrites each of its files. */
  async release(readLine) {
    print("Sample program of `panewatch demo`: it writes nothing.\n\n");
    for (let round = 0; ; round++) {
      const file = FILES[round % FILES.length];
      print(`Packing release/${file}\n`);
      await Bun.sleep(1000);
      print(`release/${file} exists already. Overwrite? [y/N] `);
      const answer = await readLine();
      if (answer === null) return;
      print(/^y/i.test(answer.trim()) ? `Wrote release/${file}.\n\n` : `Kept release/${file}.\n\n`);
      await Bun.sleep(8000);
    }
  },

  async build() {
    print("Sample program of `panewatch demo`: it builds nothing.\n\n");
    for (let step = 0; ; step++) {
      const name = MODULES[Math.floor(step / 40) % MODULES.length];
      const spinner = SPINNER[step % SPINNER.length];
      print(`\r\x1b[K${spinner} compiling ${name} (${Math.floor(step / 4)}s)`);
      if (step % 40 === 39) print(`\r\x1b[K✓ ${name}\n`);
      await Bun.sleep(250);
    }
  },

  /** Fails; Enter runs it again. */
  async imports(readLine) {
    for (;;) {
      print("Sample program of `panewatch demo`: the failure is drawn.\n\nReading orders.csv\n");
      await Bun.sleep(3000);
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
  },
};

/**
 * Runs one sample program in this terminal until it is closed.
 * @param args its name, its pace and the home of the demo; of an agent with a log also the runtime's
 *   own option for the id of a session, which ties the process to the log
 * @returns the exit code
 */
export async function runDemoPane(args: readonly string[]): Promise<number> {
  const [name = "", pace = "1", home = "", , id] = args;
  const script = SAMPLE_AGENTS[name];
  const program = PROGRAMS[name];
  if (script) {
    const file = id === undefined ? null : new SessionFile(script.runtime, { id, home });
    await runAgent(script, Number(pace), file);
  } else if (program) {
    const lines = console[Symbol.asyncIterator]();
    await program(async () => {
      const { value, done } = await lines.next();
      return done ? null : value;
    });
  } else throw new StartupError(`there is no sample program ${JSON.stringify(name)}`);
  return 0;
}

const FRAME_MS = 250;

/** The wall clock has no pace: it tells when a limit is over. */
async function runAgent(script: Script, pace: number, file: SessionFile | null): Promise<void> {
  const { stdin, stdout } = process;
  const clock = {
    now: () => Date.now() / 1000,
    monotonic: () => (performance.now() / 1000) * pace,
  };
  const agent = new SampleAgent(script, clock, (entry) => file?.write([entry]));
  let previous = "";
  const show = () => {
    const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    const screen = draw(agent, size).join("\r\n");
    if (screen !== previous) stdout.write(`\x1b[H\x1b[2J${screen}`);
    previous = screen;
  };
  stdout.write(`\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b]2;${script.title}\x07`);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  const frames = setInterval(() => {
    agent.tick();
    show();
  }, FRAME_MS);
  show();
  for await (const chunk of stdin) {
    const keys = keysOf(String(chunk));
    for (const key of keys) agent.press(key);
    if (keys.includes("\x03")) break;
    show();
  }
  clearInterval(frames);
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

/** Named keys, else single characters. A line break of a paste is `\n`. */
export function keysOf(chunk: string): string[] {
  const found = chunk.matchAll(/\x1b\[200~([^]*?)\x1b\[201~|\x1b[[O][A-Z]|[^]/gu);
  return [...found].flatMap(([key, pasted]) =>
    pasted === undefined ? [KEYS[key] ?? key] : [...pasted.replace(/\r\n?/g, "\n")],
  );
}
