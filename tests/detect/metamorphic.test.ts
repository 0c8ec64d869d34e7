import { describe, expect, test } from "bun:test";
import { parseScreen } from "../../src/detect/ansi.ts";
import { detect } from "../../src/detect/detect.ts";
import type { Finding } from "../../src/detect/finding.ts";
import {
  defaultPatterns,
  observationOf,
  readScreen,
  readScreens,
  type RecordedScreen,
} from "../support/screens.ts";

const SCREENS = readScreens();

function find(recorded: RecordedScreen, lines: readonly string[]): Finding {
  const observation = observationOf(recorded, parseScreen(lines.join("\n")));
  return detect(observation, defaultPatterns(observation));
}

/** What a person is told of a finding; line numbers move with the screen. */
function meaning({ kind, status, rule, prompt }: Finding) {
  return {
    kind,
    status,
    rule,
    question: prompt?.question,
    options: prompt?.options,
    evidence: prompt?.evidence,
  };
}

/** The screen; with its scrollback where the dialog's top has gone there. */
function wholeDialog({ styled, joined }: RecordedScreen): string {
  const isCut = /^\s*│/.test(Bun.stripANSI(styled));
  return isCut ? joined : styled;
}

const linesOf = (capture: string) => capture.trimEnd().split("\n");
const reset = "\x1b[0m";
// An answered dialog of another session, and the shell that followed it.
const history = [
  ...linesOf(readScreen("claude", "permission-bash-long").joined),
  "",
  "ann@host:~$ make",
  "Traceback (most recent call last):",
  "Do you want to continue? [y/N] y",
  "  1. one",
  "  2. two",
  "",
  "ann@host:~$ start",
];

describe.each(SCREENS.map((recorded) => [recorded.name, recorded] as const))(
  "%s",
  (_, recorded) => {
    const lines = linesOf(wholeDialog(recorded));
    const whole = find(recorded, lines);

    test("means the same with hundreds of blank rows below", () => {
      expect(meaning(find(recorded, [...lines, reset, ...Array<string>(300).fill("")]))).toEqual(
        meaning(whole),
      );
    });

    test("means the same with old dialogs and errors in its history", () => {
      expect(meaning(find(recorded, [...history, ...lines]))).toEqual(meaning(whole));
    });

    test("invents no option while its lower part is not drawn yet", () => {
      const known = whole.prompt?.options ?? [];
      for (let end = lines.length - 1; end > 0; end--) {
        const { prompt } = find(recorded, lines.slice(0, end));
        for (const { key, label } of prompt?.options ?? []) {
          // A label that wraps may be cut.
          const isKnown = known.some((o) => o.key === key && o.label.startsWith(label));
          expect({ end, option: `${key} ${label}`, isKnown }).toMatchObject({ isKnown: true });
        }
      }
    });

    test("invents no option when its upper part is out of sight", () => {
      const known = new Set(whole.prompt?.options.map(({ key, label }) => `${key} ${label}`));
      // Of a panel over a dialog the title is always in sight: the panel stands in the middle.
      const cuts = recorded.name.includes("-covered") ? 1 : lines.length;
      for (let cut = 1; cut < cuts; cut++) {
        const { prompt } = find(recorded, lines.slice(cut));
        for (const { key, label } of prompt?.options ?? []) {
          const isKnown = known.has(`${key} ${label}`) || isPartOf(label, whole);
          expect({ cut, option: `${key} ${label}`, isKnown }).toMatchObject({ isKnown: true });
        }
      }
    });
  },
);

/** Positions of unnumbered rows are counted from the first that can be seen. */
function isPartOf(label: string, { prompt }: Finding): boolean {
  return prompt?.options.some((option) => option.label === label) ?? false;
}
