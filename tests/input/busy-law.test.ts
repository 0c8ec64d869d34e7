import { expect, test } from "bun:test";
import fc from "fast-check";
import { fingerprints } from "../../src/detect/prompt.ts";
import { AppError } from "../../src/errors.ts";
import { option, prompt } from "../support/detect-input.ts";
import { forAllInTime } from "../support/laws.ts";
import { CLIENT } from "./agent-pane.ts";
import { dialog, SimulatedPanes, type SimulatedScreen } from "./simulated.ts";

// For a program that is busy at any times, and reads in one piece all that has come meanwhile: each of
// its questions gets the answer that was meant for it or none, and what was acknowledged is taken.

/**
 * `field` is an option that takes words, `form` a dialog that nobody can read, `confirm` a question on
 * one line that ends with Enter, and `key` one that a single key ends. The others take words on one
 * line, and draw them: as they are, as a mask, over two rows, in place of a default, counted.
 */
const LINES = ["line", "mask", "broken", "default", "counted"] as const;
const KINDS = ["field", "form", "confirm", "key", ...LINES] as const;
type Kind = (typeof KINDS)[number];
const isLine = (kind: Kind | null) => LINES.some((each) => each === kind);

const ENTER = { do: "key", key: "Enter" } as const;
const MORE = [{ do: "type", text: "2" }, { do: "verify" }, { do: "text" }, ENTER] as const;
const EVENTS = { waiting: "polls", lines: false, echo: false } as const;

/** An Enter in one piece with other letters is a line break in the text; a key takes no more. */
class BusyProgram {
  readonly answers: string[] = [];
  #text = "";
  #isFocused = false;
  #unread = "";
  #busyUntilMs = 0;

  constructor(
    readonly panes: SimulatedPanes,
    readonly kinds: readonly Kind[],
    readonly busyMs: number[],
  ) {
    panes.onPause = () => this.#wake();
    panes.program("%1", (input) => {
      this.#unread += input === "<Enter>" ? "\r" : input;
      this.#wake();
      return null;
    });
    this.#draw();
  }

  get kind(): Kind | null {
    return this.kinds[this.answers.length] ?? null;
  }

  get screen(): SimulatedScreen {
    const at = this.answers.length;
    const said = this.answers.map((answer, place) => `${place}. ${answer}`);
    if (this.kind === null) return { lines: [...said, "All is asked."], kind: "generic" };
    if (this.kind === "form")
      return dialog(`Form ${at}?`, [], {
        evidence: [`│ ${this.#text.padEnd(12)} │`, "│ <  OK  > │"],
      });
    if (this.kind === "field")
      return dialog(`Field ${at}?`, [
        option("1", "Yes", { selected: !this.#isFocused }),
        option("2", this.#text || "Something else", {
          ...{ selected: this.#isFocused, freeform: true, answerWithText: MORE },
        }),
      ]);
    const rows: Partial<Record<Kind, string>> = {
      default: `Line ${at} (app)`,
      counted: `Line ${at} (0/80):`,
    };
    const row = rows[this.kind] ?? `Line ${at}? (y/n)`;
    const asked = prompt(row, {
      ...{ recognised: false, questionLine: said.length, evidence: said },
      options: isLine(this.kind) ? [] : [option("y", "Yes"), option("n", "No")],
    });
    const lines = [...said, ...this.#rowsOf(row)];
    return { lines, kind: "generic", terminal: EVENTS, prompt: this.#text ? null : asked };
  }

  #rowsOf(row: string): string[] {
    const text = this.#text;
    if (text === "") return [row];
    if (this.kind === "mask") return [`${row} ${"●".repeat(text.length)}`];
    if (this.kind === "counted") return [`${row.replace("0/", `${text.length}/`)} ${text}`];
    if (this.kind === "broken") return [`${row} ${text.slice(0, 3)}`, text.slice(3)];
    return [this.kind === "default" ? row.replace("(app)", text) : `${row} ${text}`];
  }

  /** Time passes until everything is read. */
  rest(): void {
    while (this.#unread !== "") {
      this.panes.timeMs += 100;
      this.#wake();
    }
  }

  #wake(): void {
    if (this.#unread === "" || this.panes.timeMs < this.#busyUntilMs) return;
    this.#take(this.#unread);
    this.#unread = "";
    this.#busyUntilMs = this.panes.timeMs + (this.busyMs.shift() ?? 0);
    this.#draw();
  }

  #take(piece: string): void {
    const { kind } = this;
    if (kind === "key") {
      this.#answer(piece.slice(0, 1));
      if (piece.length > 1) this.#take(piece.slice(1));
    } else if (piece === "\r") this.#answer(this.#text || "default");
    else if (kind === "field" && !this.#isFocused) {
      this.#isFocused = piece.startsWith("2");
      this.#text += piece.slice(1).replaceAll("\r", "⏎");
    } else this.#text += piece.replaceAll("\r", "⏎");
  }

  #answer(text: string): void {
    this.answers.push(text);
    this.#text = "";
    this.#isFocused = false;
  }

  #draw(): void {
    this.panes.show("%1", this.screen);
  }
}

/** @returns whether it was acknowledged */
async function answer({ panes, kind, screen }: BusyProgram, words: string): Promise<boolean> {
  const request = { id: "%1", expected: fingerprints(screen.prompt ?? null) };
  const takesText = kind === "form" || isLine(kind);
  const work = takesText
    ? panes.legacy.text({ ...request, text: words, enter: true }, CLIENT)
    : panes.legacy.select(
        kind === "field" ? { ...request, key: "2", text: words } : { ...request, key: words },
        CLIENT,
      );
  return work.then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError) return false;
      throw error;
    },
  );
}

test("law: a busy program takes each answer for its own question, and what was acknowledged", async () => {
  const kinds = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 4 });
  const busyMs = fc.array(fc.oneof(fc.nat(300), fc.nat(4000)), { maxLength: 12 });
  let acknowledged = 0;
  await forAllInTime([kinds, busyMs], 400, async (asked, busy) => {
    const panes = new SimulatedPanes();
    const program = new BusyProgram(panes, asked, [...busy]);
    const wanted = asked.map((kind, at) =>
      kind === "confirm" || kind === "key" ? "y" : `word${at}`,
    );
    for (const [at, words] of wanted.entries()) {
      const isAcknowledged = await answer(program, words);
      program.rest();
      expect(program.answers).toEqual(
        wanted.slice(0, isAcknowledged ? at + 1 : program.answers.length),
      );
      expect(program.answers.length).toBeLessThanOrEqual(at + 1);
      // Only a busy program keeps an answer from being sent whole.
      if (!isAcknowledged) return expect(busy.length).toBeGreaterThan(0);
      acknowledged += 1;
      // A person reads the next question first.
      panes.timeMs += 5000;
    }
  });
  expect(acknowledged).toBeGreaterThan(0);
});
