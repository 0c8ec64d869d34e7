// A sample agent in a pane: it draws recorded screens, writes down every key that arrives and on
// which screen, and goes from screen to screen as its play says. Plain JavaScript of one file: it is
// started under the name of the program that it stands for.
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";

/** What is drawn, and what becomes of it. */
export interface Play {
  /** Of its window, as the program sets it. */
  title: string;
  /** Each with its attributes, by name. */
  screens: Record<string, string>;
  start: string;
  /** Screen -> key -> next screen; `Enter` counts where something was typed. */
  keys: Record<string, Record<string, string>>;
  /** Whose name stands beside what arrives. */
  name: string;
  /** Where what arrives is written down, a line each. */
  arrivals: string;
  /** Holds the next screen's name when the test wants another one. */
  cue: string;
}

/** It ends by itself where a test that was killed cannot end it. */
const LIFETIME_MS = 5 * 60_000;
const LOOK_MS = 10;
/** The input line of Claude Code with its cursor. */
const COMPOSER = /(❯\u00a0)(\x1b\[7m \x1b\[0m)/u;

const play: Play = JSON.parse(readFileSync(process.argv.at(-1) ?? "", "utf8"));
let screen = play.start;
let typed = "";

function show(next: string): void {
  screen = next;
  typed = "";
  draw();
}

function draw(): void {
  const text = (play.screens[screen] ?? "").trimEnd().replace(COMPOSER, `$1${typed}$2`);
  process.stdout.write(`\x1b[0m\x1b[2J\x1b[H${text.replaceAll("\n", "\r\n")}`);
}

function press(key: string): void {
  const keys = play.keys[screen] ?? {};
  const isTyping = COMPOSER.test(play.screens[screen] ?? "");
  const next = keys[key === "\r" && typed !== "" ? "Enter" : key];
  if (next !== undefined) return show(next);
  if (isTyping && key >= " ") typed += key;
  draw();
}

process.stdin.setRawMode(true);
process.stdin.setEncoding("utf8");
process.stdin.on("data", (data) => {
  const arrival = { name: play.name, screen, data: String(data) };
  appendFileSync(play.arrivals, `${JSON.stringify(arrival)}\n`);
  for (const key of String(data)) press(key);
});
setInterval(() => {
  if (!existsSync(play.cue)) return;
  const next = readFileSync(play.cue, "utf8");
  rmSync(play.cue);
  show(next);
}, LOOK_MS);
setTimeout(() => process.exit(), LIFETIME_MS);
process.stdout.write(`\x1b]2;${play.title}\x07\x1b[?25l`);
draw();
