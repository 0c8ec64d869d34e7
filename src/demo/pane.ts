import { createInterface } from "node:readline";
import { StartupError } from "../errors.ts";
import { draw, press, startAgent, tick } from "./agent.ts";
import { build, imports, release, type LineProgram } from "./programs.ts";
import { PERMISSIONS, QUESTIONS, type Request } from "./requests.ts";

const AGENTS: Readonly<Record<string, { title: string; requests: readonly Request[] }>> = {
  permission: { title: "✳ Ship the checkout fix (demo)", requests: PERMISSIONS },
  questions: { title: "✳ Set up storage (demo)", requests: QUESTIONS },
};
const PROGRAMS: Readonly<Record<string, LineProgram>> = { release, build, imports };

const FRAME_MS = 250;
const KEYS: Readonly<Record<string, string>> = {
  "\r": "Enter",
  "\n": "Enter",
  "\x1b": "Escape",
  "\x7f": "Backspace",
  "\x1b[A": "Up",
  "\x1bOA": "Up",
  "\x1b[B": "Down",
  "\x1bOB": "Down",
};

/** Runs one sample program in this terminal until it is closed; the result is the exit code. */
export async function runDemoPane(name: string): Promise<number> {
  const agent = AGENTS[name];
  const program = PROGRAMS[name];
  if (agent) await runAgent(agent.title, agent.requests);
  else if (program) await runLines(program);
  else throw new StartupError(`there is no sample program ${JSON.stringify(name)}`);
  return 0;
}

async function runAgent(title: string, requests: readonly Request[]): Promise<void> {
  const { stdin, stdout } = process;
  const seconds = () => performance.now() / 1000;
  let state = startAgent(seconds());
  let shown = "";
  const show = () => {
    const size = { columns: stdout.columns ?? 80, rows: stdout.rows ?? 24 };
    const screen = draw(state, requests, size).join("\r\n");
    if (screen !== shown) stdout.write(`\x1b[H\x1b[2J${screen}`);
    shown = screen;
  };
  stdout.write(`\x1b[?1049h\x1b[?25l\x1b]2;${title}\x07`);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  const frames = setInterval(() => {
    state = tick(state, seconds(), requests.length);
    show();
  }, FRAME_MS);
  show();
  for await (const chunk of stdin) {
    for (const key of keysOf(String(chunk))) {
      state = press(state, key, requests);
      if (key === "\x03") return clearInterval(frames);
    }
    show();
  }
  clearInterval(frames);
}

/** What one read holds: named keys, else single characters. */
export function keysOf(chunk: string): string[] {
  const found = chunk.match(/\x1b[[O][A-Z]|[^]/gu) ?? [];
  return found.map((key) => KEYS[key] ?? key);
}

async function runLines(program: LineProgram): Promise<void> {
  const input = createInterface({ input: process.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  await program({
    print: (text) => void process.stdout.write(text),
    readLine: async () => {
      const { value, done } = await lines.next();
      return done ? null : value;
    },
    sleep: (seconds) => Bun.sleep(seconds * 1000),
  });
  input.close();
}
