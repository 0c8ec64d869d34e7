import type { Flags } from "../../config/resolve.ts";
import { StartupError } from "../../errors.ts";
import { complain } from "../../lib/print.ts";
import { riskSentence } from "../../protocol/options.ts";
import type { PaneState } from "../../protocol/pane.ts";
import { stripControls } from "../../lib/words.ts";
import { askService, refusalOf, UnansweredError } from "../ask-service.ts";
import { askPerson } from "../phone/consent.ts";
import { findPane, parsePaneName, promptCode, readPanes, stateWordOf } from "./service-panes.ts";

/** An answer may take as long as a pass of a busy multiplexer. */
const TIMEOUT_MS = 20_000;

const SENT = 0;
const NOT_SENT = 1;
/** It may have arrived: a person has to look before it is sent again. */
const UNKNOWN = 3;

/**
 * `panewatch answer work:1.0@3fa9c1 2`: chooses an option of the prompt that `ls` has shown, which
 * the code after the @ identifies. The service compares the prompt with the screen again.
 */
export async function answer(
  flags: Flags & Readonly<{ "pane@code": string } & Record<"option" | "text", string | undefined>>,
): Promise<number> {
  const { "pane@code": typed, option, text } = flags;
  const { pane: name, code } = parsePaneName(typed);
  const pane = findPane(await readPanes(flags), name);
  const now = promptCode(pane);
  if (code === null)
    throw new StartupError(`answer needs what was seen: ${pane.target}@CODE, as ls shows it`);
  if (now === null) return refuse(`${pane.target} asks nothing now`);
  if (now !== code) return refuse(`${pane.target} asks something else now: ${pane.question ?? ""}`);
  const choice = requireOption(pane, option, text !== undefined);
  const why = flags.yes ? null : harmOf(pane, choice);
  if (why !== null && !(await confirms(why))) return refuse(`nothing was sent to ${pane.target}`);
  const words = text === undefined ? {} : { text };
  const { action_guard: guard, legacy_guard } = pane;
  return guard === null
    ? send(flags, pane, "/api/select", { key: choice.key, ...words, expected: legacy_guard })
    : send(flags, pane, "/api/input", {
        ...{ operation: "select", option_id: choice.id, ...words },
        expected: guard,
      });
}

/** Why the answer needs a second confirmation; null: it needs none. */
function harmOf({ risk, cut }: PaneState, option: PaneState["menu"][number]): string | null {
  const risks = [option.declines === true ? null : risk, option.risk];
  const sentences = risks.flatMap((one) =>
    (one?.kinds ?? []).map((kind, i) => riskSentence(kind, i === 0 ? (one?.text ?? "") : "")),
  );
  const unseen = cut === null ? [] : ["Not all of it was shown: its terminal has the rest."];
  return [...new Set([...sentences, ...unseen])].join(" ") || null;
}

async function confirms(why: string): Promise<boolean> {
  using person = askPerson("[y/N]", "--yes");
  return await person.to(`${stripControls(why)} Send it?`);
}

/** The option with this key, or the only one that takes a text. @throws StartupError */
function requireOption(
  { menu, target }: PaneState,
  key: string | undefined,
  hasText: boolean,
): PaneState["menu"][number] {
  const keys = menu.map((one) => one.key).join(", ");
  if (key === undefined) {
    if (!hasText)
      throw new StartupError(`answer needs an option: ${keys || "none can be chosen from here"}`);
    const [only, ...others] = menu.filter(({ freeform }) => freeform);
    if (only && others.length === 0) return only;
    throw new StartupError(`say which option the text is for: ${keys}`);
  }
  const option = menu.find((one) => one.key === key);
  if (!option) throw new StartupError(`${target} has no option ${key}; there are: ${keys}`);
  if (!hasText || option.freeform) return option;
  throw new StartupError(`option ${key} of ${target} takes no text`);
}

/** `panewatch send work:1.0 TEXT`: types into a pane that asks nothing, and presses Enter. */
export async function sendText(flags: Flags & { _: readonly string[] }): Promise<number> {
  const [name = "", ...words] = flags._;
  const text = words.join(" ");
  if (text === "") throw new StartupError("send needs a text: panewatch send PANE TEXT");
  const pane = findPane(await readPanes(flags), parsePaneName(name).pane);
  if (stateWordOf(pane) === "waiting")
    return refuse(`${pane.target} asks something: answer that first (${pane.question ?? ""})`);
  const { action_guard: guard } = pane;
  const none = { prompt_fingerprint: null, options_fingerprint: null };
  const typed = { text, enter: true };
  return guard === null
    ? send(flags, pane, "/api/text", { ...typed, expected: none })
    : send(flags, pane, "/api/input", { ...typed, operation: "text", expected: guard });
}

async function send(
  flags: Flags,
  { id, target }: PaneState,
  path: string,
  what: object,
): Promise<number> {
  const body = { id, ...what, idempotency_key: crypto.randomUUID() };
  try {
    const sending = { method: "POST", path, body, timeoutMs: TIMEOUT_MS } as const;
    const { reply } = await askService(flags, sending);
    if (reply.status === 200) return SENT;
    const { code, message } = refusalOf(reply);
    // The service refuses with 503 before anything is sent; another error leaves that open.
    const isOpen = reply.status >= 500 && reply.status !== 503;
    if (/delivery_unknown/.test(code) || isOpen) throw new UnansweredError(message);
    throw new StartupError(message);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const { message } = error;
    if (!(error instanceof UnansweredError)) return refuse(`not sent to ${target}: ${message}`);
    complain(`it may have arrived, look at the terminal: ${target}: ${message}`);
    return UNKNOWN;
  }
}

function refuse(reason: string): number {
  complain(reason);
  return NOT_SENT;
}
