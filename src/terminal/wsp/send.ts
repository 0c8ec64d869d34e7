import { AppError } from "../../errors.ts";
import type { InputStep, SendOutcome } from "../provider.ts";
import type { Channel } from "./channel.ts";
import { isTakenForFlag, isTooLong } from "./tool.ts";
import { refusalIn, REQUESTS, type WirePane, WspFailure, WspRefusal } from "./wire.ts";

/** herdr's names of the contract's keys; any other key it cannot send. */
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

export const SAFE_KEYS = [
  ...["BSpace", "BTab", "C-c", "C-u", "Down", "Enter"],
  ...["Escape", "Left", "Right", "Space", "Tab", "Up"],
];

const MAX_TEXT_AS_KEYS = 64;
/** So short an answer is sent as keys: those the server refuses once the agent has ended. */
const MAX_ANSWER_CHARS = 8;

/** Refusals before anything was written to the terminal. */
const NOT_SENT = new Set(["agent_not_found", "agent_not_ready"]);
const NOT_CALLED = new Set([
  ...["server_not_running", "protocol_mismatch", "invalid_key", "invalid_request"],
  "pane_not_found",
]);

type SendPart = { text: string } | { keys: string[] };

interface SendRoute {
  channel: Channel;
  pane: string;
  hasAgent: boolean;
  /** Keys go by the method that checks the agent's process as it sends. */
  byAgent: boolean;
  /** A text goes as an argument of the executable, which may take it for a flag. */
  isArgument: boolean;
}

/**
 * As few requests as possible, one after another, up to the first that did not arrive.
 * @throws AppError `conflict` `capability_unavailable` for what cannot be typed as it is
 * @throws WspFailure when nothing was sent and the pane is not why
 */
export async function sendToPane(
  channel: Channel,
  { pane_id, agent }: WirePane,
  steps: readonly InputStep[],
): Promise<SendOutcome> {
  const hasAgent = Boolean(agent);
  const byAgent = hasAgent && channel.identity.methods.has("agent.send_keys");
  const route = { channel, pane: pane_id, hasAgent, byAgent, isArgument: channel.socket === null };
  const send = route.isArgument ? sendByTool : sendOverSocket;
  let hasSent = false;
  for (const part of partsOf(steps, route)) {
    const outcome = await send(part, route).catch((error: unknown) => {
      // Earlier parts have arrived: nobody may send all of it again.
      if (hasSent && error instanceof WspFailure) return "unknown" as const;
      throw error;
    });
    if (outcome !== "sent") return hasSent ? "unknown" : outcome;
    hasSent = true;
  }
  return "sent";
}

function partsOf(steps: readonly InputStep[], route: SendRoute): SendPart[] {
  const parts: SendPart[] = [];
  for (const step of steps) {
    const part = step.do === "key" ? keyPart(step.key) : textPart(step.text, route);
    const last = parts.at(-1);
    if (last && "keys" in last && "keys" in part) last.keys.push(...part.keys);
    else parts.push(part);
  }
  return parts;
}

function keyPart(key: string): SendPart {
  const name = NAMES.get(key);
  if (name === undefined) throw unavailable(`key ${key.slice(0, 40)} cannot be sent here`);
  return { keys: [name] };
}

function textPart(text: string, { hasAgent, isArgument }: SendRoute): SendPart {
  const isFlag = isArgument && isTakenForFlag(text);
  // Characters are sent as keys where each is a plain key: letter by letter a flag is only a text.
  const most = isFlag ? MAX_TEXT_AS_KEYS : hasAgent ? MAX_ANSWER_CHARS : 0;
  if (text.length <= most && /^[!-~]+$/.test(text)) return { keys: [...text] };
  if (isFlag) throw unavailable("the tool would take this text for a flag of its own");
  if (isArgument && isTooLong(text)) throw unavailable("the text is too long for one argument");
  return { text };
}

function unavailable(message: string): AppError {
  const code = "capability_unavailable";
  return new AppError("conflict", message, { reason: code, code });
}

async function sendOverSocket(part: SendPart, route: SendRoute): Promise<SendOutcome> {
  let isWritten = false;
  try {
    await route.channel.request(requestOf(part, route), { written: () => (isWritten = true) });
    return "sent";
  } catch (error) {
    if (error instanceof WspRefusal) return outcomeOf(error);
    // The request may have arrived, and only the answer was lost.
    if (isWritten && error instanceof WspFailure) return "unknown";
    throw error;
  }
}

function requestOf(part: SendPart, { pane, byAgent }: SendRoute) {
  if ("text" in part) return REQUESTS.text(pane, part.text);
  return byAgent ? REQUESTS.agentKeys(pane, part.keys) : REQUESTS.keys(pane, part.keys);
}

async function sendByTool(part: SendPart, route: SendRoute): Promise<SendOutcome> {
  const { words } = requestOf(part, route);
  const result = await route.channel.tool.run(words).catch((error: unknown) => {
    if (!(error instanceof WspFailure) || error.category === "binary_missing") throw error;
    // The tool ran, and ended before it reported an outcome.
    return null;
  });
  if (result?.code === 0) return "sent";
  // A tool without this command prints its usage, and has sent nothing.
  if (result?.code === 2 && "keys" in part && route.byAgent)
    return sendByTool(part, { ...route, byAgent: false });
  if (result?.code === 2)
    throw new WspFailure("command_failed", "wsp send: the tool refused its arguments");
  const refusal = result?.code === 1 ? refusalIn("wsp send", result.stderr) : null;
  return refusal ? outcomeOf(refusal) : "unknown";
}

/** @throws WspRefusal when the request failed before it reached a pane */
function outcomeOf(refusal: WspRefusal): SendOutcome {
  const { code, text } = refusal;
  if (NOT_SENT.has(code)) return "refused";
  const isShutDown = code === "server_unavailable" && /shutting down/.test(text);
  if (NOT_CALLED.has(code) || isShutDown) throw refusal;
  return "unknown";
}
