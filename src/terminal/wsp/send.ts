import { AppError } from "../../errors.ts";
import type { InputStep, SendOutcome } from "../provider.ts";
import { isTakenForFlag, isTooLong, sendAgentKeys, sendKeys, sendText } from "./arguments.ts";
import { WspFailure } from "./failure.ts";
import { keyName, keysOfText } from "./keys.ts";
import { errorOf } from "./parse.ts";
import { categoryOf, jsonOrNull, type Tool } from "./tool.ts";

/** One call of the tool. */
export type Part = { send: "text"; text: string } | { send: "keys"; keys: string[] };

/** An answer that is a key or two is sent as keys: those are refused where its agent has gone. */
const MAX_ANSWER_CHARS = 8;

/** Refusals that come before anything is written to the terminal. */
const NOT_SENT = new Set(["pane_not_found", "agent_not_found", "agent_not_ready"]);
const NOT_CALLED = new Set(["server_not_running", "protocol_mismatch", "invalid_key"]);

/**
 * Steps as calls of the tool, as few as there can be.
 * @throws AppError `conflict` `capability_unavailable` for what it cannot type as it is
 */
export function partsOf(steps: readonly InputStep[], hasAgent: boolean): Part[] {
  const parts: Part[] = [];
  for (const step of steps) {
    const part = step.do === "key" ? keyPart(step.key) : textPart(step.text, hasAgent);
    const last = parts.at(-1);
    if (last?.send === "keys" && part.send === "keys") last.keys.push(...part.keys);
    else parts.push(part);
  }
  return parts;
}

function keyPart(key: string): Part {
  const name = keyName(key);
  if (name === null) throw unavailable(`key ${key.slice(0, 40)} cannot be sent here`);
  return { send: "keys", keys: [name] };
}

function textPart(text: string, hasAgent: boolean): Part {
  const isFlag = isTakenForFlag(text);
  const keys = isFlag || (hasAgent && text.length <= MAX_ANSWER_CHARS) ? keysOfText(text) : null;
  // A word that is a flag as a whole is none by its letters; `--session` itself never is an argument.
  if (keys) return { send: "keys", keys };
  if (isFlag) throw unavailable("the tool would take this text for a flag of its own");
  if (isTooLong(text)) throw unavailable("the text is too long for one argument");
  return { send: "text", text };
}

function unavailable(message: string): AppError {
  const code = "capability_unavailable";
  return new AppError("conflict", message, { reason: code, code });
}

export interface SendOptions {
  tool: Tool;
  pane: string;
  /** Keys go by the command that looks at the agent's process as it sends. */
  byAgent: boolean;
}

/**
 * One call after another; what comes after the first that did not arrive is left out.
 * @throws WspFailure when nothing was sent and the pane is not why
 */
export async function sendParts(
  parts: readonly Part[],
  { tool, pane, byAgent }: SendOptions,
): Promise<SendOutcome> {
  let hasSent = false;
  for (const part of parts) {
    const outcome = await sendPart(part, { tool, pane, byAgent }).catch((error: unknown) => {
      // What came before has arrived: whatever this was, nobody may begin anew.
      if (hasSent && error instanceof WspFailure) return "unknown" as const;
      throw error;
    });
    if (outcome !== "sent") return hasSent ? "unknown" : outcome;
    hasSent = true;
  }
  return "sent";
}

async function sendPart(part: Part, { tool, pane, byAgent }: SendOptions): Promise<SendOutcome> {
  if (part.send === "text") return outcomeOf(await call(tool, sendText(pane, part.text)));
  if (!byAgent) return outcomeOf(await call(tool, sendKeys(pane, part.keys)));
  const told = await call(tool, sendAgentKeys(pane, part.keys));
  // A tool without this command says so by its usage, and has sent nothing.
  if (told !== "unknown" && told.code === 2)
    return outcomeOf(await call(tool, sendKeys(pane, part.keys)));
  return outcomeOf(told);
}

interface Told {
  code: number;
  stderr: string;
}

async function call(tool: Tool, words: readonly string[]): Promise<Told | "unknown"> {
  try {
    const { code, stderr } = await tool.run(words);
    return { code, stderr };
  } catch (error) {
    if (!(error instanceof WspFailure) || error.category === "binary_missing") throw error;
    // It ran, and was ended before it said what became of it.
    return "unknown";
  }
}

function outcomeOf(told: Told | "unknown"): SendOutcome {
  if (told === "unknown") return "unknown";
  const { code, stderr } = told;
  if (code === 0) return "sent";
  if (code === 2)
    throw new WspFailure("command_failed", "wsp send: the tool refused its arguments");
  const error = code === 1 ? errorOf(jsonOrNull(stderr)) : null;
  if (!error) return "unknown";
  if (NOT_SENT.has(error.code)) return "refused";
  const isShutDown = error.code === "server_unavailable" && /shutting down/.test(error.message);
  if (NOT_CALLED.has(error.code) || isShutDown)
    throw new WspFailure(categoryOf(error.code), `wsp send: ${error.code}`);
  return "unknown";
}
