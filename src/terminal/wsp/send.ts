import { AppError } from "../../errors.ts";
import type { InputStep, SendOutcome } from "../provider.ts";
import type { Channel } from "./channel.ts";
import { errorIn, WspFailure, WspRefusal } from "./wire.ts";
import { REQUESTS, type WspRequest } from "./requests.ts";
import { isTakenForFlag, isTooLong } from "./tool.ts";

/** The tool's names of the contract's keys; what is absent it cannot send. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["Enter", "enter"],
  ["Escape", "esc"],
  ["Tab", "tab"],
  ["BTab", "shift+tab"],
  ["Space", "space"],
  ["BSpace", "backspace"],
  ["Up", "up"],
  ["Down", "down"],
  ["Left", "left"],
  ["Right", "right"],
  ...[..."acdeklnopruwz"].map((letter) => [`C-${letter}`, `ctrl+${letter}`] as const),
]);

/** Keys that a client may ask for on a pane of this provider. */
export const SAFE_KEYS = [
  ...["BSpace", "BTab", "C-c", "C-u", "Down", "Enter"],
  ...["Escape", "Left", "Right", "Space", "Tab", "Up"],
];

/** Longer texts are typed as texts. */
const MAX_TEXT_AS_KEYS = 64;

function keyName(key: string): string | null {
  return NAMES.get(key) ?? null;
}

/** A text as one key for each character, where each is a key with no second meaning; else null. */
function keysOfText(text: string): string[] | null {
  if (text === "" || text.length > MAX_TEXT_AS_KEYS || !/^[!-~]+$/.test(text)) return null;
  return [...text];
}

/** One request to the tool. */
type SendPart = { send: "text"; text: string } | { send: "keys"; keys: string[] };

/** An answer that is a key or two is sent as keys: those are refused where its agent has gone. */
const MAX_ANSWER_CHARS = 8;

/** Refusals that come before anything is written to the terminal. */
const NOT_SENT = new Set(["agent_not_found", "agent_not_ready"]);
const NOT_CALLED = new Set([
  ...["server_not_running", "protocol_mismatch", "invalid_key", "invalid_request"],
  "pane_not_found",
]);

interface Way {
  /** Keys go by the method that looks at the agent's process as it sends. */
  byAgent: boolean;
  /** A text is an argument of the executable, which may take it for something else. */
  isArgument: boolean;
}

/**
 * Steps as requests, as few as there can be.
 * @throws AppError `conflict` `capability_unavailable` for what cannot be typed as it is
 */
export function partsOf(steps: readonly InputStep[], hasAgent: boolean, way: Way): SendPart[] {
  const parts: SendPart[] = [];
  for (const step of steps) {
    const part = step.do === "key" ? keyPart(step.key) : textPart(step.text, hasAgent, way);
    const last = parts.at(-1);
    if (last?.send === "keys" && part.send === "keys") last.keys.push(...part.keys);
    else parts.push(part);
  }
  return parts;
}

function keyPart(key: string): SendPart {
  const name = keyName(key);
  if (name === null) throw unavailable(`key ${key.slice(0, 40)} cannot be sent here`);
  return { send: "keys", keys: [name] };
}

function textPart(text: string, hasAgent: boolean, { isArgument }: Way): SendPart {
  const isFlag = isArgument && isTakenForFlag(text);
  const keys = isFlag || (hasAgent && text.length <= MAX_ANSWER_CHARS) ? keysOfText(text) : null;
  // A word that is a flag as a whole is none by its letters; `--session` itself never is an argument.
  if (keys) return { send: "keys", keys };
  if (isFlag) throw unavailable("the tool would take this text for a flag of its own");
  if (isArgument && isTooLong(text)) throw unavailable("the text is too long for one argument");
  return { send: "text", text };
}

function unavailable(message: string): AppError {
  const code = "capability_unavailable";
  return new AppError("conflict", message, { reason: code, code });
}

interface SendOptions {
  channel: Channel;
  pane: string;
  way: Way;
}

/**
 * One request after another; what comes after the first that did not arrive is left out.
 * @throws WspFailure when nothing was sent and the pane is not why
 */
export async function sendParts(
  parts: readonly SendPart[],
  options: SendOptions,
): Promise<SendOutcome> {
  const send = options.way.isArgument ? sendByTool : sendOverSocket;
  let hasSent = false;
  for (const part of parts) {
    const outcome = await send(part, options).catch((error: unknown) => {
      // What came before has arrived: whatever this was, nobody may begin anew.
      if (hasSent && error instanceof WspFailure) return "unknown" as const;
      throw error;
    });
    if (outcome !== "sent") return hasSent ? "unknown" : outcome;
    hasSent = true;
  }
  return "sent";
}

async function sendOverSocket(
  part: SendPart,
  { channel, pane, way }: SendOptions,
): Promise<SendOutcome> {
  let isWritten = false;
  try {
    await channel.request(requestOf(part, pane, way), { onWritten: () => (isWritten = true) });
    return "sent";
  } catch (error) {
    if (error instanceof WspRefusal) return outcomeOf(error);
    // It may have arrived, and only the answer was lost.
    if (isWritten && error instanceof WspFailure) return "unknown";
    throw error;
  }
}

function requestOf(part: SendPart, pane: string, { byAgent }: Way): WspRequest {
  if (part.send === "text") return REQUESTS.text(pane, part.text);
  return byAgent ? REQUESTS.agentKeys(pane, part.keys) : REQUESTS.keys(pane, part.keys);
}

async function sendByTool(part: SendPart, options: SendOptions): Promise<SendOutcome> {
  const { channel, pane, way } = options;
  const { words } = requestOf(part, pane, way);
  const told = await channel.tool.run(words).catch((error: unknown) => {
    if (!(error instanceof WspFailure) || error.category === "binary_missing") throw error;
    // It ran, and was ended before it said what became of it.
    return null;
  });
  if (told?.code === 0) return "sent";
  // A tool without the agent's command says so by its usage, and has sent nothing.
  if (told?.code === 2 && part.send === "keys" && way.byAgent)
    return sendByTool(part, { ...options, way: { ...way, byAgent: false } });
  if (told?.code === 2)
    throw new WspFailure("command_failed", "wsp send: the tool refused its arguments");
  const refusal = told?.code === 1 ? errorIn("wsp send", told.stderr) : null;
  return refusal ? outcomeOf(refusal) : "unknown";
}

/** @throws WspRefusal when the request came to nothing before the pane was looked at */
function outcomeOf(refusal: WspRefusal): SendOutcome {
  const { code, said } = refusal;
  if (NOT_SENT.has(code)) return "refused";
  const isShutDown = code === "server_unavailable" && /shutting down/.test(said);
  if (NOT_CALLED.has(code) || isShutDown) throw refusal;
  return "unknown";
}
