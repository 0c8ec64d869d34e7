import type { PaneAgent } from "../protocol/pane.ts";
import { prepare } from "./prepare.ts";
import type { Composer, Finding, DetectInput } from "./finding.ts";
import { perView, type View } from "./region.ts";
import { readAgentAInput } from "./rules/agent-a-composer.ts";
import { readAgentBInput } from "./rules/agent-b-composer.ts";
import { readAgentCInput } from "./rules/agent-c-composer.ts";
import { readAgentDInput } from "./rules/agent-d-screen.ts";
import { readGeminiInput } from "./rules/gemini-composer.ts";

const READERS: Readonly<Record<string, (view: View) => Composer | null>> = {
  agent_a: perView(readAgentAInput),
  agent_b: perView(readAgentBInput),
  agent_c: perView(readAgentCInput),
  agent_d: perView(readAgentDInput),
  gemini: perView(readGeminiInput),
  qwen: perView(readGeminiInput),
};

/** Null where the input line is out of sight, or nobody knows how this agent draws it. */
export function composerOf(agent: PaneAgent | null, view: View): Composer | null {
  return (agent && READERS[agent.id]?.(view)) ?? null;
}

/**
 * The input line of the recognised agent; null also where a dialog or an overlay covers it. An agent
 * may work while its input line is empty.
 * @param finding of the same input
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

/** Programs show it in place of a long text or a picture. */
export const STAND_IN = /\[(?:Pasted|Image)\b[^\]]*\]/gi;

/**
 * Whether a draft can be this text and nothing else. Letters alone are compared, since programs draw
 * marks and symbols in their own way, and a part of the text may have a stand-in.
 */
export function isTextAlone(draft: string, text: string): boolean {
  const sent = lettersOf(text);
  const [first = "", ...others] = draft.split(STAND_IN).map(lettersOf);
  const last = others.pop();
  if (last === undefined) return first === sent;
  let at = first.length;
  for (const part of others) {
    const index = sent.indexOf(part, at);
    if (index < 0) return false;
    at = index + part.length;
  }
  return sent.startsWith(first) && sent.slice(at).endsWith(last);
}

export const lettersOf = (text: string): string =>
  text.normalize("NFD").replace(/[\s\p{C}\p{M}\p{So}\p{Sk}]+/gu, "");

function withoutBlanks(text: string): string {
  return text.replace(/\s+/gu, "");
}
