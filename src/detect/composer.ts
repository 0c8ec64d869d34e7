import type { PaneAgent } from "../protocol/pane.ts";
import { prepare } from "./prepare.ts";
import type { Composer, Finding, DetectInput } from "./finding.ts";
import { perView, type View } from "./region.ts";
import { readAgentAInput } from "./rules/agent-a-composer.ts";
import { readAgentBInput } from "./rules/agent-b-composer.ts";
import { readAgentCInput } from "./rules/agent-c-composer.ts";
import { readAgentDInput } from "./rules/agent-d-screen.ts";
import { readGeminiInput } from "./rules/gemini-composer.ts";

type ReadComposer = (view: View) => Composer | null;

const READERS: Readonly<Record<string, ReadComposer>> = {
  agent_a: perView(readAgentAInput),
  agent_b: perView(readAgentBInput),
  agent_c: perView(readAgentCInput),
  agent_d: perView(readAgentDInput),
  gemini: perView(readGeminiInput),
  qwen: perView(readGeminiInput),
};

/** The input line of this agent, where it is seen and known. */
export function composerOf(agent: PaneAgent | null, view: View): Composer | null {
  return (agent && READERS[agent.id]?.(view)) ?? null;
}

/**
 * The input line of a recognised agent, or null where none takes what is typed: a dialog or an
 * overlay covers it, or nobody knows how this program draws one. `finding` is that of the same
 * input. It says nothing of the turn: an agent may work while its input line is empty.
 */
export function detectComposer(o: DetectInput, finding: Finding): Composer | null {
  const { agent, status, keepsPrevious } = finding;
  if (keepsPrevious || status === "needs_input") return null;
  return composerOf(agent, prepare(o).view);
}

/** Whether exactly this text stands in the input line, wherever its lines break on the screen. */
export function holdsText(composer: Composer, text: string): boolean {
  const sent = withoutBlanks(text);
  return composer.holds === "draft" && sent !== "" && withoutBlanks(composer.text) === sent;
}

/** What programs show in place of a long text or of a picture. */
const STAND_IN = /\[(?:Pasted|Image)\b[^\]]*\]/gi;

/**
 * Whether a draft can be this text and nothing else, by its letters: marks and symbols may be drawn
 * otherwise, and a part of it may have a stand-in.
 */
export function isTextAlone(draft: string, text: string): boolean {
  const sent = plain(text);
  const [first = "", ...others] = draft.split(STAND_IN).map(plain);
  const last = others.pop();
  if (last === undefined) return first === sent;
  let at = first.length;
  for (const part of others) {
    const found = sent.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return sent.startsWith(first) && sent.slice(at).endsWith(last);
}

const plain = (text: string): string =>
  text.normalize("NFD").replace(/[\s\p{C}\p{M}\p{So}\p{Sk}]+/gu, "");

function withoutBlanks(text: string): string {
  return text.replace(/\s+/gu, "");
}
