import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { needsTerminalUse } from "../../src/detect/detect.ts";
import type { DetectInput, Finding } from "../../src/detect/finding.ts";
import { detectInput, hitsOf } from "../support/detect-input.ts";
import { DEFAULT_PATTERNS, findIn, inputOf, readScreens } from "../support/screens.ts";

const FOLDER = join(import.meta.dir, "../fixtures/unseen");

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

const UNSEEN = readUnseen();

/** A program that nobody knows: neither its name nor its arguments say anything. */
const nobody = { command: "deploy", processes: [["deploy"]], title: "" };

describe("a screen of a program without rules of its own", () => {
  test.each(["agent", "program"] as const)("is read right for every recorded %s", (of) => {
    const wrong = UNSEEN.filter((seen) => seen.of === of && !isRight(seen, findUnseen(seen)));
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("has no moving characters in its question or evidence", () => {
    const moving = /[\u2800-\u28ff]|\(\d+s\b|\d+s Esc/;
    for (const seen of UNSEEN.filter(({ expect: what }) => what === "wait")) {
      const { question = "", evidence = [] } = findUnseen(seen).prompt ?? {};
      const lines = [question, ...evidence].filter((line) => moving.test(line));
      expect({ name: seen.name, lines }).toEqual({ name: seen.name, lines: [] });
    }
  });

  test("never makes an idle agent wait when it is read alone, as from a file", () => {
    for (const seen of UNSEEN.filter((each) => each.of === "agent" && each.expect !== "wait"))
      expect([seen.name, findUnseen(seen, "bare").status]).not.toEqual([seen.name, "needs_input"]);
  });
});

describe("a recorded screen of a known agent, read as of an unknown program", () => {
  const found = readScreens().map((recorded) => ({
    name: recorded.name,
    expected: recorded.expected.status,
    status: findIn({ ...inputOf(recorded), ...nobody }).status,
  }));

  test("does not wait where the agent does not", () => {
    const wrong = found.filter((o) => o.expected !== "needs_input" && o.status === "needs_input");
    expect(wrong).toEqual([]);
  });

  test("waits by its shape alone in more than five of six dialogs", () => {
    const waiting = found.filter(({ expected }) => expected === "needs_input");
    const seen = waiting.filter(({ status }) => status === "needs_input");
    expect(seen.length / waiting.length).toBeGreaterThan(5 / 6);
  });
});

const IDS = "claude codex grok opencode agy gemini qwen copilot cursor amp".split(" ");
/** Screens with a part that looks like the input line or the panel of the agent they are read as. */
const OWN_SHAPE = [
  "aider-confirm-create",
  "auggie-start",
  "bubbles-",
  "huh-form",
  "huh-input",
  "huh-place",
  "ink-mark",
  "ink-placeholder",
  "py-input-multi",
  "qwen-firstrun-2 as claude",
];

/** Dialogs that wait when they are read as of nobody. */
const ASKED = UNSEEN.filter((seen) => {
  if (seen.expect !== "wait") return false;
  const { status, rule } = findIn({ ...inputOfUnseen(seen), ...nobody });
  // A person's own patterns are not searched in agents.
  return status === "needs_input" && !rule.startsWith("generic.pattern");
});

test.each(IDS)("a dialog of an unknown program also waits when it is read as %s", (id) => {
  const asked = ASKED.filter(
    ({ name }) => !OWN_SHAPE.some((own) => `${name} as ${id}`.startsWith(own)),
  );
  const wrong = asked.filter((seen) => {
    const o = { ...inputOfUnseen(seen), command: id, processes: [[id]], title: "" };
    return findIn(o).status !== "needs_input";
  });
  expect(asked.length).toBeGreaterThan(40);
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

/** Screens of programs for which no rule was written. */
function readUnseen(): UnseenScreen[] {
  const file = (name: string) => readFileSync(join(FOLDER, name), "utf8");
  const cases = z.array(UnseenCase).parse(JSON.parse(file("index.json")));
  return cases.map((each) => ({ ...each, styled: file(`${each.name}.txt`) }));
}

/** `bare`: the screen, the command and the title alone, as in a saved file. */
function inputOfUnseen(seen: UnseenScreen, facts: "all" | "bare" = "all"): DetectInput {
  const { styled, title, command, width, height, processes, cursor, terminal } = seen;
  const saved = detectInput(styled, { title, command, width, height });
  if (facts === "bare") return saved;
  const live = { ...saved, processes, cursor };
  return needsTerminalUse(live, hitsOf(live, DEFAULT_PATTERNS)) ? { ...live, terminal } : live;
}

function findUnseen(seen: UnseenScreen, facts: "all" | "bare" = "all"): Finding {
  return findIn(inputOfUnseen(seen, facts));
}

/** What time adds (a screen that changes is working) is not counted. */
function isRight({ expect, of, options }: UnseenScreen, finding: Finding): boolean {
  if (of === "program" && finding.agent !== null && !finding.rule.startsWith("generic."))
    return false;
  const waits = finding.status === "needs_input";
  const offered = finding.prompt?.options.length ?? 0;
  if (options !== undefined && offered !== 0 && offered !== options) return false;
  if (expect === "wait") return waits;
  if (expect === "nowait") return !waits && finding.prompt === null;
  return finding.status === "working" || (finding.status === "idle" && !finding.idleIsCertain);
}
