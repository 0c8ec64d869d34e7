import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { needsTerminalUse } from "../../src/detect/detect.ts";
import type { Finding, DetectInput } from "../../src/detect/finding.ts";
import { detectInput, hitsOf } from "./detect-input.ts";
import { DEFAULT_PATTERNS, findIn } from "./screens.ts";

const FOLDER = join(import.meta.dir, "..", "fixtures", "unseen");

const UnseenCase = z.object({
  name: z.string(),
  of: z.enum(["agent", "program"]),
  /** `wait`: a person is asked; `nowait`: nobody is; `working`: a turn runs. */
  expect: z.enum(["wait", "nowait", "working"]),
  command: z.string(),
  title: z.string(),
  width: z.number(),
  height: z.number(),
  processes: z.array(z.array(z.string())),
  cursor: z.object({ row: z.number(), column: z.number(), visible: z.boolean() }).nullable(),
  terminal: z
    .object({
      waiting: z.enum(["reads", "polls", "none"]),
      lines: z.boolean(),
      echo: z.boolean(),
    })
    .nullable(),
  note: z.string(),
  /** Where it counts: how many options are offered, if any are. */
  options: z.number().optional(),
});

interface UnseenScreen extends z.infer<typeof UnseenCase> {
  styled: string;
}

/** Screens of programs for which no rule was written. */
export function readUnseen(): UnseenScreen[] {
  const file = (name: string) => readFileSync(join(FOLDER, name), "utf8");
  const cases = z.array(UnseenCase).parse(JSON.parse(file("index.json")));
  return cases.map((each) => ({ ...each, styled: file(`${each.name}.txt`) }));
}

/** `bare`: the screen, the command and the title alone, as in a saved file. */
export function inputOfUnseen(seen: UnseenScreen, facts: "all" | "bare" = "all"): DetectInput {
  const { styled, title, command, width, height, processes, cursor, terminal } = seen;
  const saved = detectInput(styled, { title, command, width, height });
  if (facts === "bare") return saved;
  const live = { ...saved, processes, cursor };
  return needsTerminalUse(live, hitsOf(live, DEFAULT_PATTERNS)) ? { ...live, terminal } : live;
}

export function findUnseen(seen: UnseenScreen, facts: "all" | "bare" = "all"): Finding {
  return findIn(inputOfUnseen(seen, facts));
}

/** What time adds (a screen that changes is working) is not counted. */
export function isRight({ expect, of, options }: UnseenScreen, finding: Finding): boolean {
  if (of === "program" && finding.agent !== null && !finding.rule.startsWith("generic."))
    return false;
  const waits = finding.status === "needs_input";
  const offered = finding.prompt?.options.length ?? 0;
  if (options !== undefined && offered !== 0 && offered !== options) return false;
  if (expect === "wait") return waits;
  if (expect === "nowait") return !waits && finding.prompt === null;
  return finding.status === "working" || (finding.status === "idle" && !finding.idleIsCertain);
}
