import { AppError } from "../../errors.ts";
import type { InputStep, SendOutcome } from "../provider.ts";
import type { Channel } from "./channel.ts";
import { isTakenForFlag, isTooLong } from "./tool.ts";
import { refusalIn, REQUESTS, type WirePane, WspFailure, WspRefusal } from "./wire.ts";

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

export const SAFE_KEYS = [
  ...["BSpace", "BTab", "C-c", "C-u", "Down", "Enter"],
  ...["Escape", "Left", "Right", "Space", "Tab", "Up"],
];

const MAX_TEXT_AS_KEYS = 64;
/** An answer that is a key or two is sent as keys: those are refused where its agent has gone. */
const MAX_ANSWER_CHARS = 8;

/** Refusals that come before anything is written to the terminal. */
const NOT_SENT = new Set(["agent_not_found", "agent_not_ready"]);
const NOT_CALLED = new Set([
  ...["server_not_running", "protocol_mismatch", "invalid_key", "invalid_request"],
  "pane_not_found",
]);

type SendPart = { text: string } | { keys: string[] };

interface Way {
  channel: Channel;
  pane: string;
  hasAgent: boolean;
  /** Keys go by the method that looks at the agent's process as it sends. */
  byAgent: boolean;
  /** A text is an argument of the executable, which may take it for something else. */
  isArgument: boolean;
}

/**
 * As few requests as there can be, one after another; what comes after the first that did not arrive
 * is left out.
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
  const way = { channel, pane: pane_id, hasAgent, byAgent, isArgument: channel.socket === null };
  const send = way.isArgument ? sendByTool : sendOverSocket;
  let hasSent = false;
  for (const part of partsOf(steps, way)) {
    const outcome = await send(part, way).catch((error: unknown) => {
      // What came before has arrived: whatever this was, nobody may begin anew.
      if (hasSent && error instanceof WspFailure) return "unknown" as const;
      throw error;
    });
    if (outcome !== "sent") return hasSent ? "unknown" : outcome;
    hasSent = true;
  }
  return "sent";
}

function partsOf(steps: readonly InputStep[], way: Way): SendPart[] {
  const parts: SendPart[] = [];
  for (const step of steps) {
    const part = step.do === "key" ? keyPart(step.key) : textPart(step.text, way);
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

function textPart(text: string, { hasAgent, isArgument }: Way): SendPart {
  const isFlag = isArgument && isTakenForFlag(text);
  // Each character as a key, where each is one with no second meaning. A word that is a flag as a whole
  // is none by its letters; `--session` itself never is an argument.
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

async function sendOverSocket(part: SendPart, way: Way): Promise<SendOutcome> {
  let isWritten = false;
  try {
    await way.channel.request(requestOf(part, way), { written: () => (isWritten = true) });
    return "sent";
  } catch (error) {
    if (error instanceof WspRefusal) return outcomeOf(error);
    // It may have arrived, and only the answer was lost.
    if (isWritten && error instanceof WspFailure) return "unknown";
    throw error;
  }
}

function requestOf(part: SendPart, { pane, byAgent }: Way) {
  if ("text" in part) return REQUESTS.text(pane, part.text);
  return byAgent ? REQUESTS.agentKeys(pane, part.keys) : REQUESTS.keys(pane, part.keys);
}

async function sendByTool(part: SendPart, way: Way): Promise<SendOutcome> {
  const { words } = requestOf(part, way);
  const told = await way.channel.tool.run(words).catch((error: unknown) => {
    if (!(error instanceof WspFailure) || error.category === "binary_missing") throw error;
    // It ran, and was ended before it said what became of it.
    return null;
  });
  if (told?.code === 0) return "sent";
  // A tool without the agent's command says so by its usage, and has sent nothing.
  if (told?.code === 2 && "keys" in part && way.byAgent)
    return sendByTool(part, { ...way, byAgent: false });
  if (told?.code === 2)
    throw new WspFailure("command_failed", "wsp send: the tool refused its arguments");
  const refusal = told?.code === 1 ? refusalIn("wsp send", told.stderr) : null;
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
