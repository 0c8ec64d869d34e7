import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseScreen } from "../../src/detect/ansi.ts";
import { detect } from "../../src/detect/detect.ts";
import type { Prompt } from "../../src/detect/finding.ts";
import { NO_PATTERNS } from "../../src/detect/pattern-rules.ts";
import type { Screen } from "../../src/detect/screen.ts";
import { guardOf } from "../../src/input/guard.ts";
import type { MuxProvider } from "../../src/terminal/mux/provider.ts";
import type { ListedPane } from "../../src/terminal/provider.ts";
import type { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

/** How long one prompt stands before the next takes its place. */
export const PROMPT_MS = 11;

export interface Share {
  answers: number;
  wrong: number;
  /** Answers that were held back because the prompt was seen to have changed. */
  refused: number;
}

interface Seen {
  pane: ListedPane;
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
      const { panes } = await provider.list(AbortSignal.timeout(5000));
      return panes.find((listed) => listed.id === id);
    });
    const racing = new Racing(provider, pane, file);
    await until(async () => (await racing.#look()) && true);
    return racing;
  }

  /** Reads the prompt and answers it, until so many answers were sent. */
  async answer(count: number, way: "guarded" | "unguarded"): Promise<Share> {
    const before = this.#answers().length;
    let refused = 0;
    for (let sent = 0; sent < count;) {
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
    const wanted = before + count;
    const all = await until(() => {
      const found = this.#answers();
      return found.length >= wanted ? found : null;
    });
    const mine = all.slice(before);
    return { answers: count, wrong: mine.filter((answer) => !answer.isRight).length, refused };
  }

  async #look(): Promise<Seen | null> {
    const pane = this.#pane;
    const captures = await this.#provider.capture([pane], 24, AbortSignal.timeout(5000));
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
    return { pane, screen, prompt: finding.prompt, number: Number(number) };
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
      const answers = typed.split(";");
      typed = answers.pop();
      fs.appendFileSync(${JSON.stringify(file)}, answers.map((it) => it + " " + number + "\\n").join(""));
    });
    setInterval(draw, ${PROMPT_MS});
  `;
}

/** Wilson's interval of a share, at 99 %. */
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
