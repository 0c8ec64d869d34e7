import { FIELDS } from "../config/fields.ts";
import type { Flags } from "../config/resolve.ts";
import { AGENTS, type Agent } from "../detect/agents.ts";
import { parseScreen } from "../detect/ansi.ts";
import { detect, patternText } from "../detect/detect.ts";
import type { DetectInput } from "../detect/finding.ts";
import { PatternSearch } from "../detect/pattern-search.ts";
import { StartupError } from "../errors.ts";
import { UnreadableError } from "../lib/json-file.ts";
import { blankControls } from "../lib/words.ts";
import { Explanation } from "../protocol/explain.ts";
import { explain, renderExplanation, type ScreenExplanation } from "../terminal/explain.ts";
import { askFor } from "./ask-service.ts";

const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Any program may run behind ssh: the agent is recognised by the screen alone. */
const UNKNOWN_PROGRAM = "ssh";

export async function explainScreen(
  flags: Flags & Readonly<Record<"pane" | "file" | "agent", string | undefined>>,
): Promise<string> {
  const { pane, file, agent } = flags;
  if ((pane === undefined) === !file)
    throw new StartupError("explain needs a pane, or a screen: explain PANE, explain --file PATH");
  if (agent && !file) throw new StartupError("--agent goes with --file: a pane tells who it is");
  const explanation = file
    ? explainFile(await readCapture(file), agent ?? null)
    : await requestExplanation(flags, pane ?? "");
  return renderExplanation(explanation).replace(/[^\n]+/g, blankControls);
}

/** Explains without a service: by the default patterns, and without the pane's past. */
export function explainFile(capture: string, agent: string | null): ScreenExplanation {
  const screen = parseScreen(capture);
  const lines = screen.lines.map(({ text }) => text);
  const input: DetectInput = {
    screen,
    title: "",
    command: agent === null ? UNKNOWN_PROGRAM : commandOf(requireAgent(agent)),
    processes: [],
    width: Math.max(1, ...lines.map((line) => Bun.stringWidth(line))),
    height: Math.max(1, lines.length),
    alternate: false,
    cursor: null,
    kindOverride: null,
  };
  const patterns = new PatternSearch().run({
    text: patternText(input)?.text ?? "",
    prompt: FIELDS["detectors.generic_prompt_patterns"].default,
    error: FIELDS["detectors.error_patterns"].default,
  });
  const finding = detect(input, patterns);
  const { kind, status, rule, prompt } = finding;
  const state = { id: "file", kind, status, reason: rule, lines };
  return explain({ state, screen, finding, prompt, lineAge: null });
}

function requireAgent(name: string): Agent {
  const typed = name.toLowerCase();
  const found = AGENTS.find(
    ({ id, alias, programs }) => id === typed || alias === typed || programs.test(typed),
  );
  if (found) return found;
  const known = AGENTS.map(commandOf).join(", ");
  throw new StartupError(`no agent ${JSON.stringify(name)}; there are: ${known}`);
}

function commandOf({ id, alias }: Agent): string {
  return alias ?? id;
}

async function readCapture(path: string): Promise<string> {
  const file = path === "-" ? Bun.stdin : Bun.file(path);
  const text = await file.text().catch((cause: unknown) => {
    throw new StartupError(new UnreadableError(`the screen ${path}`, cause).message, { cause });
  });
  if (text.length > MAX_FILE_BYTES) throw new StartupError(`${path} is over 8 MiB: no screen`);
  return text;
}

/** Turns a name of the page (`work:1:0`) into a target (`work:1.0`). */
export function targetOf(pane: string): string {
  return pane.replace(/^([^:]+:\d+):(\d+)$/, "$1.$2");
}

/** @throws StartupError where no service answers, or it does not know the pane */
export function requestExplanation(flags: Flags, id: string): Promise<Explanation> {
  const body = { id: targetOf(id) };
  return askFor(flags, { method: "POST", path: "/api/explain", body }, Explanation);
}
