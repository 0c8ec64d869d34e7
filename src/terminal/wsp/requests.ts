import { parse, WireRead, WspFailure } from "./wire.ts";

/** One thing that the session is asked or told, in the two ways that it takes. */
export interface WspRequest {
  /** Over its socket. */
  method: string;
  params: Record<string, unknown>;
  /** Of its executable. */
  words: readonly string[];
}

const request = (
  method: string,
  params: Record<string, unknown>,
  ...words: readonly string[]
): WspRequest => ({ method, params, words });

/** Everything that is ever asked of a session or told to it. */
export const REQUESTS = {
  snapshot: () => request("session.snapshot", {}, "api", "snapshot"),
  pane: (pane: string) => request("pane.get", { pane_id: pane }, "pane", "get", pane),
  processes: (pane: string) =>
    request("pane.process_info", { pane_id: pane }, "pane", "process-info", "--pane", pane),
  // Only forms that never reach the program: the detection buffer, and the history with its colours.
  // The same history as plain text scrolls an idle agent on the alternate screen by typing into it.
  detection(pane: string) {
    const source = "detection";
    return request(
      "pane.read",
      { pane_id: pane, source },
      "pane",
      "read",
      pane,
      "--source",
      source,
    );
  },
  history: (pane: string, lines: number) =>
    request(
      "pane.read",
      { pane_id: pane, source: "recent_unwrapped", lines, format: "ansi" },
      ...["pane", "read", pane, "--source", "recent-unwrapped"],
      ...["--lines", String(lines), "--format", "ansi"],
    ),
  text: (pane: string, text: string) =>
    request("pane.send_text", { pane_id: pane, text }, "pane", "send-text", pane, text),
  keys: (pane: string, keys: readonly string[]) =>
    request("pane.send_keys", { pane_id: pane, keys }, "pane", "send-keys", pane, ...keys),
  /** Looks at the foreground process as it sends, and refuses what would reach a shell. */
  agentKeys: (pane: string, keys: readonly string[]) =>
    request("agent.send_keys", { target: pane, keys }, "agent", "send-keys", pane, ...keys),
};

/** Each method as it is sent, for a schema to be compared with. */
export const SENT: readonly WspRequest[] = [
  REQUESTS.snapshot(),
  REQUESTS.pane(""),
  REQUESTS.history("", 0),
  REQUESTS.text("", ""),
  REQUESTS.keys("", []),
  REQUESTS.agentKeys("", []),
  REQUESTS.processes(""),
];

/** The id under which the executable prints what it was asked for. */
export function envelopeOf({ words }: WspRequest): string {
  return `cli:${words.slice(0, 2).join(":").replace("-", "_")}`;
}

/** The text of a read, which must be of the pane that was asked for. */
export function paneText(result: Record<string, unknown>, pane: string): string {
  const { read } = parse(WireRead, result, "pane read");
  if (read.pane_id !== pane)
    throw new WspFailure("inconsistent", `${pane} was asked for, ${read.pane_id} was read`);
  return read.text;
}
