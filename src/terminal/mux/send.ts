import { randomBytes } from "node:crypto";
import { AppError } from "../../errors.ts";
import { RunError, type RunResult } from "../../lib/run.ts";
import { ALLOWED_KEYS } from "../../protocol/input.ts";
import { isTmuxPaneId } from "../namespace.ts";
import { stripControls } from "../../lib/words.ts";
import type { InputStep, SendGuard, SendOutcome } from "../provider.ts";
import { meansCutOff } from "./parse.ts";
import { type CommandLine, octal } from "./tmux.ts";

type FeedTmux = (lines: readonly CommandLine[]) => Promise<RunResult>;

const MAX_REASON_CHARS = 300;
/** Longer text goes as a paste, so that a program does not take it for fast typing. */
const MAX_TYPED_CHARS = 1024;

/** A step as tmux commands, and the buffer that must be filled before them. */
interface StepCommands {
  commands: string;
  buffer?: { name: string; text: string };
}

/**
 * Sends all steps in one turn of the server; nothing when the guard fails. Text goes into a buffer that is
 * pasted: `send-keys` would type into copy mode, or into every pane of a synchronised window.
 * @throws AppError `invalid` with `{reason, code}` when tmux refuses; nothing was sent then
 */
export async function sendSteps(
  feed: FeedTmux,
  id: string,
  steps: readonly InputStep[],
  guard: SendGuard | null,
  /** Feeds the commands that send; `feed` still drops the buffers. */
  feedSend = feed,
): Promise<SendOutcome> {
  // tmux takes an empty target for the current pane.
  if (!isTmuxPaneId(id)) throw refusal(id, "not a pane id");
  const mark = `panewatch-${randomBytes(6).toString("hex")}`;
  const parts = mergeSteps(steps).map((step, index) => commandsOf(step, id, `${mark}-${index}`));
  const buffers = parts.flatMap((part) => (part.buffer ? [part.buffer] : []));
  const fill = buffers.map(({ name, text }) => ["set-buffer", "-b", name, "--", text]);
  const drop = buffers.map(({ name }) => ["delete-buffer", "-b", name]);
  const send = [...parts.map((part) => part.commands), `display-message -p -t ${id} ${SENT}`];
  const refuse = [
    `display-message -p -t ${id} '${REFUSAL}'`,
    ...drop.map((each) => each.join(" ")),
  ];
  const branches = [send.join(" ; "), refuse.join(" ; ")];
  const decide = ["if-shell", "-F", "-t", id, condition(guard), ...branches];

  let isClean = false;
  try {
    const answer = await ask(feedSend, id, [...fill, decide]);
    isClean = answer !== null;
    return answer === null ? "unknown" : outcome(id, answer);
  } finally {
    // A buffer that stayed would be the person's next paste. Where it was never made, the failure to
    // delete it means nothing.
    if (!isClean && drop.length > 0) await feed(drop.map((each) => [each])).catch(() => null);
  }
}

// Printed after the last step: the exit code is 0 also where the server ends in between.
const SENT = "sent";
// Printed when the condition fails.
const REFUSAL = "#{?pane_id,#{?pane_dead,dead,#{?pane_input_off,input_off,refused}},gone}";

function outcome(id: string, answer: string): SendOutcome {
  if (answer === SENT) return "sent";
  if (answer === "refused") return "refused";
  if (answer === "dead") throw refusal(id, `the program in pane ${id} has ended`);
  if (answer === "input_off") throw refusal(id, `input to pane ${id} is switched off`);
  throw refusal(id, `can't find pane: ${id}`);
}

/** The output of tmux; null when it ended before it reported what it did. */
async function ask(feed: FeedTmux, id: string, line: CommandLine): Promise<string | null> {
  const result = await feed([line]).catch((cause: unknown) => {
    if (cause instanceof RunError && cause.kind !== "not_found") return null;
    throw refusal(id, cause instanceof Error ? cause.message : "tmux cannot be run", cause);
  });
  if (result === null || meansCutOff(result.stderr)) return null;
  const { code, stdout, stderr } = result;
  if (code !== 0) throw refusal(id, stderr.trim() || `tmux ended with ${code}`);
  return new TextDecoder().decode(stdout).trim() || null;
}

function refusal(id: string, why: string, cause?: unknown): AppError {
  const reason = stripControls(why).slice(0, MAX_REASON_CHARS);
  const detail = { reason, code: "multiplexer_refused" };
  return new AppError("invalid", `cannot send to ${id}: ${reason}`, detail, { cause });
}

type MergedStep = { do: "keys"; keys: string[] } | { do: "text"; text: string };

function mergeSteps(steps: readonly InputStep[]): MergedStep[] {
  const merged: MergedStep[] = [];
  for (const step of steps) {
    const before = merged.at(-1);
    if (step.do === "text" && before?.do === "text") before.text += step.text;
    else if (step.do === "key" && before?.do === "keys") before.keys.push(step.key);
    else if (step.do === "text") merged.push({ do: "text", text: step.text });
    else merged.push({ do: "keys", keys: [step.key] });
  }
  return merged.filter((step) => step.do === "keys" || step.text !== "");
}

function commandsOf(step: MergedStep, id: string, buffer: string): StepCommands {
  if (step.do === "keys") return { commands: keyCommands(step.keys, id, buffer) };
  // -r keeps line breaks, -p brackets only where the program has asked for it. A tab is pasted: typed,
  // it is a key to many programs.
  const isPaste = /[\n\t]/.test(step.text) || step.text.length > MAX_TYPED_CHARS;
  return {
    commands: `paste-buffer -d ${isPaste ? "-p " : ""}-r -b ${buffer} -t ${id}`,
    buffer: { name: buffer, text: step.text },
  };
}

function keyCommands(keys: readonly string[], id: string, buffer: string): string {
  const [normal, application] = (["normal", "application"] as const).map((mode) =>
    keys.map((key) => octal(keyBytes(key, mode))).join(""),
  );
  const set = (bytes: string | undefined) => `set-buffer -b ${buffer} "${bytes}"`;
  const fill =
    normal === application
      ? set(normal)
      : `if-shell -F -t ${id} '#{keypad_cursor_flag}' { ${set(application)} } { ${set(normal)} }`;
  const paste = (flags: string) => `paste-buffer ${flags} -b ${buffer} -t ${id}`;
  // `send-keys` would scroll in a mode, and type into all panes of a synchronised window.
  return (
    `if-shell -F -t ${id} '#{||:#{pane_in_mode},#{pane_synchronized}}' ` +
    `{ ${fill} ; if-shell -F -t ${id} '${pastesControls()}' '${paste("-dr")}' '${paste("-Sdr")}' } ` +
    `{ send-keys -t ${id} ${keys.join(" ")} }`
  );
}

/**
 * The format that tells whether a paste leaves control characters as they are: before 3.7, where -S is an
 * error. The server is asked in the same turn: it may be older than its client, or have been replaced.
 */
export const pastesControls = (version = "#{version}") =>
  `#{m/r:^(3\\.[0-6]([^0-9]|$)|[12]\\.),${version}}`;

/** A format that is true when the pane takes input and the guard holds. */
function condition(guard: SendGuard | null): string {
  const terms = ["#{pane_id}", "#{?#{||:#{pane_dead},#{pane_input_off}},0,1}"];
  if (guard) {
    terms.push(`#{==:${IDENTITY},${literalIdentity(guard)}}`);
    if (guard.command !== undefined && isPlainName(guard.command))
      terms.push(`#{==:#{pane_current_command},${guard.command}}`);
    // The number of the first row with it, from 1.
    const rowOf = (text: string) => `#{C:${escapePattern(text)}}`;
    const { contains, aboveCursor } = guard;
    terms.push(...contains.map(rowOf));
    if (aboveCursor) {
      const { text, rows } = aboveCursor;
      terms.push(`#{==:#{e|+:${rowOf(text)},${rows}},#{e|+:#{cursor_y},1}}`);
    }
  }
  return terms.reduceRight((rest, term) => `#{&&:${term},${rest}}`);
}

/** Such a name means itself in a format; any other, made up by a program, is not compared. */
const isPlainName = (command: string) => /^[\w.+@-]+$/.test(command);

/** The identity of a pane as `parse.ts` builds it. */
const IDENTITY = "#{pid}:#{start_time}/#{pane_id}/#{pane_pid}";

// No part of it may be expanded as a format.
function literalIdentity({ identity }: SendGuard): string {
  if (/^\d+:\d+\/%\d+\/\d+$/.test(identity)) return identity;
  throw new Error(`not an identity of a pane: ${identity}`);
}

/**
 * Text of one screen row as a search pattern in a format. It is read twice: as a format, where `#` starts
 * a format or a shell command and `,` `}` end one, then as a glob. A format keeps `##[` as it is (the
 * start of a style), hence the bracket around `#`.
 */
export function escapePattern(text: string): string {
  return text.replace(/[#,}*?[\\]/g, (char) => {
    if (char === "#") return "[##]";
    if (char === "," || char === "}") return `#${char}`;
    return `\\${char}`;
  });
}

/**
 * The bytes of a key, where tmux cannot translate it; of two, the second is for a program that has asked
 * for application cursor keys. A control key is its letter without the upper bits.
 */
const KEYS: Readonly<Record<string, string | readonly [string, string]>> = {
  BSpace: "\x7f",
  BTab: "\x1b[Z",
  Down: ["\x1b[B", "\x1bOB"],
  End: "\x1b[4~",
  Enter: "\r",
  Escape: "\x1b",
  Home: "\x1b[1~",
  Left: ["\x1b[D", "\x1bOD"],
  PageDown: "\x1b[6~",
  PageUp: "\x1b[5~",
  Right: ["\x1b[C", "\x1bOC"],
  Space: " ",
  Tab: "\t",
  Up: ["\x1b[A", "\x1bOA"],
};

/** The bytes that tmux itself would send. @throws Error for a key outside the list */
export function keyBytes(name: string, mode: "normal" | "application"): string {
  const [, letter] = /^C-([a-z])$/.exec(name) ?? [];
  const bytes = letter ? String.fromCharCode(letter.charCodeAt(0) & 0x1f) : KEYS[name];
  if (bytes === undefined || !ALLOWED_KEYS.some((key) => key === name))
    throw new Error(`not a key of the list: ${name}`);
  const [normal, application] = typeof bytes === "string" ? [bytes, bytes] : bytes;
  return mode === "application" ? application : normal;
}
