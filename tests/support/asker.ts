import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LIFETIME_MS = 5 * 60_000;

interface Arrival {
  /** The number of the question that was on the screen. */
  question: number;
  /** What arrived, as the terminal sent it. */
  data: string;
}

/**
 * A program that asks like a Claude Code permission, writes down what arrives and on which question,
 * and is done once a digit arrives; `turn` makes it ask the next question.
 */
export class Asker {
  readonly #arrivals: string;
  readonly #next: string;
  readonly #script: string;

  constructor(folder: string) {
    this.#arrivals = join(folder, "arrivals");
    this.#next = join(folder, "next");
    // The name by which the program is recognised.
    this.#script = join(folder, "claude");
    writeFileSync(this.#arrivals, "");
    writeFileSync(
      this.#script,
      `
      const fs = require("node:fs");
      const [arrivals, next] = ${JSON.stringify([this.#arrivals, this.#next])};
      let question = 1, isDone = false;
      const rule = "─".repeat(process.stdout.columns);
      function draw() {
        process.stdout.write("\\x1b[2J\\x1b[H" + (isDone ? "All done.\\n\\n" + rule + "\\n❯ \\n" + rule + "\\n  ? for shortcuts\\n" :
          rule + "\\n Bash command\\n\\n   make step-" + question + "\\n   Run step " + question + "\\n\\n" +
          " Do you want to proceed?\\n ❯ 1. Yes\\n   2. Yes, and don't ask again for: make *\\n   3. No\\n\\n Esc to cancel · Tab to amend\\n"));
      }
      process.stdin.setRawMode(true);
      process.stdin.on("data", (data) => {
        fs.appendFileSync(arrivals, JSON.stringify({ question, data: String(data) }) + "\\n");
        if (/^[1-3]$/.test(String(data))) { isDone = true; draw(); }
      });
      setInterval(() => { if (fs.existsSync(next)) { fs.rmSync(next); question++; isDone = false; draw(); } }, 5);
      // Ends by itself where a test that was killed cannot end it.
      setTimeout(() => process.exit(), ${LIFETIME_MS});
      draw();
      `,
    );
  }

  /** Its argument list: an interpreter and a script, as the real one is started. */
  get command(): string[] {
    return [process.execPath, "--no-env-file", this.#script];
  }

  turn(): void {
    writeFileSync(this.#next, "");
  }

  get arrivals(): Arrival[] {
    if (!existsSync(this.#arrivals)) return [];
    const lines = readFileSync(this.#arrivals, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Arrival);
  }

  forget(): void {
    rmSync(this.#arrivals, { force: true });
  }
}
