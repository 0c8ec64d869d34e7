import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseScreen } from "../../src/detect/ansi.ts";
import { detect } from "../../src/detect/detect.ts";
import type { Prompt } from "../../src/detect/finding.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import type { Screen } from "../../src/detect/region.ts";
import { guardOf } from "../../src/input/guard.ts";
import type { MuxProvider } from "../../src/terminal/mux/provider.ts";
import type { ListedPane } from "../../src/terminal/provider.ts";
import type { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { median } from "../soak/gauges.ts";

/** How long one prompt stands at first; see `setPace`. */
export const PROMPT_MS = 11;
const STEADY_MS = 10_000;
/** The program ends then by itself, should the test not end it. */
const LIFETIME_MS = 10 * 60_000;
/** Answers that are timed for the pace, by their median. */
const TIMED = 7;

export interface Share {
  answers: number;
  wrong: number;
  /** Answers that were held back because the prompt had changed. */
  refused: number;
}

export type Way = "guarded" | "unguarded";

interface Seen {
  pane: ListedPane;
  text: string;
  screen: Screen;
  prompt: Prompt | null;
  number: number;
}

/**
 * A program whose permission dialog changes all the time. An answer is the number of the prompt
 * that it was given to; the program notes which prompt was on the screen when it arrived.
 */
export class Racing {
  readonly #provider: MuxProvider;
  readonly #pane: ListedPane;
  readonly #file: string;

  private constructor(provider: MuxProvider, pane: ListedPane, file: string) {
    this.#provider = provider;
    this.#pane = pane;
    this.#file = file;
  }

  static async start(tmux: PrivateTmux, provider: MuxProvider): Promise<Racing> {
    const file = join(tmux.folder, "answers");
    await Bun.write(file, "");
    const id = await tmux.open([process.execPath, "-e", program(file)]);
    const pane = await until(async () => {
      const panes = await provider.list(AbortSignal.timeout(60_000));
      return panes.find((listed) => listed.id === id);
    });
    const racing = new Racing(provider, pane, file);
    await until(async () => (await racing.#look()) && true);
    return racing;
  }

  /** Lets a prompt stand for as long as an answer takes now, on this machine and under its load. */
  async setPace(): Promise<void> {
    await this.#standFor(STEADY_MS);
    const taken: number[] = [];
    for (let i = 0; i < TIMED; i++) {
      const startedMs = performance.now();
      await this.#look();
      await this.#standFor(STEADY_MS);
      taken.push(performance.now() - startedMs);
    }
    await this.#standFor(Math.round(median(taken)));
  }

  /** Reads the prompt and answers it, so many times. */
  async answer(tries: number, way: Way): Promise<Share> {
    const before = this.#answers().length;
    let sent = 0;
    let refused = 0;
    for (let tried = 0; tried < tries; tried++) {
      const seen = await this.#look();
      if (!seen) continue;
      const outcome = await this.#provider.send(
        this.#pane.id,
        [{ do: "text", text: `${seen.number};` }],
        way === "guarded" ? guardOf(seen) : null,
      );
      if (outcome === "sent") sent += 1;
      else refused += 1;
    }
    const all = await until(() => {
      const found = this.#answers();
      return found.length >= before + sent ? found : null;
    });
    const mine = all.slice(before);
    return { answers: sent, wrong: mine.filter((answer) => !answer.isRight).length, refused };
  }

  async #standFor(ms: number): Promise<void> {
    await this.#provider.send(this.#pane.id, [{ do: "text", text: `every ${ms};` }], null);
  }

  async #look(): Promise<Seen | null> {
    const pane = this.#pane;
    const captures = await this.#provider.capture([pane], 24, AbortSignal.timeout(60_000));
    const capture = captures.get(pane.id);
    if (!capture || capture instanceof Error) throw new Error("the pane is gone");
    const screen = parseScreen(capture.text);
    const { title, command, width, height, alternate, cursor } = pane;
    const size = { width, height, alternate, cursor };
    const finding = detect(
      { screen, title, command, processes: [], kindOverride: "agent_a", ...size },
      NO_PATTERNS,
    );
    const number = /item (\d+)\?/.exec(finding.prompt?.question ?? "")?.[1];
    if (!finding.prompt || number === undefined) return null;
    return { pane, text: capture.text, screen, prompt: finding.prompt, number: Number(number) };
  }

  #answers(): { isRight: boolean }[] {
    const lines = readFileSync(this.#file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => {
      const [answered, shown] = line.split(" ");
      return { isRight: answered === shown };
    });
  }
}

function program(file: string): string {
  return `
    const fs = require("node:fs");
    process.stdin.setRawMode(true);
    let number = 0;
    let typed = "";
    const rule = "─".repeat(80);
    const draw = () => {
      number += 1;
      process.stdout.write("\\x1b[H\\x1b[2J" + [
        rule, " Bash command", "   rm -r item-" + number, "   Remove it", "",
        " Do you want to remove item " + number + "?",
        " ❯ 1. Yes", "   2. No", "", " Esc to cancel · Tab to amend",
      ].join("\\r\\n"));
    };
    process.stdin.on("data", (data) => {
      typed += data;
      const words = typed.split(";");
      typed = words.pop();
      for (const word of words) if (word.startsWith("every ")) draws(Number(word.slice(6)));
      const answers = words.filter((word) => !word.startsWith("every "));
      fs.appendFileSync(${JSON.stringify(file)}, answers.map((it) => it + " " + number + "\\n").join(""));
    });
    let drawing;
    const draws = (everyMs) => {
      clearInterval(drawing);
      drawing = setInterval(draw, everyMs);
    };
    draw();
    draws(${PROMPT_MS});
    setTimeout(() => process.exit(), ${LIFETIME_MS});
  `;
}

/** Wilson's interval of a share, at 99 %; from 0 to 1 for a share of nothing. */
export function interval({ answers, wrong }: Share): { low: number; high: number } {
  const z = 2.576;
  const share = wrong / answers;
  const middle = share + (z * z) / (2 * answers);
  const reach = z * Math.sqrt((share * (1 - share)) / answers + (z * z) / (4 * answers * answers));
  const scale = 1 + (z * z) / answers;
  return { low: (middle - reach) / scale, high: (middle + reach) / scale };
}

export function percentOf({ answers, wrong }: Share): string {
  return `${((100 * wrong) / answers).toFixed(1)} %`;
}
