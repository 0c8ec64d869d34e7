import { parseJson } from "../../lib/json.ts";
import { WspFailure, type FailureCategory } from "./failure.ts";
import { WireError } from "./parse.ts";

const CATEGORIES: Readonly<Record<string, FailureCategory>> = {
  server_not_running: "session_unavailable",
  server_unavailable: "session_unavailable",
  protocol_mismatch: "incompatible",
};

/** The server's own refusal of a request, by its code. */
export class WspRefusal extends WspFailure {
  readonly code: string;
  /** Its own words. */
  readonly said: string;

  constructor(what: string, { code, message }: { code: string; message: string }) {
    super(CATEGORIES[code] ?? "command_failed", `${what}: ${code}`);
    this.code = code;
    this.said = message;
  }
}

/** The refusal in an answer, or in the tool's stderr on exit 1; null where it is another line. */
export function refusalIn(what: string, answer: unknown): WspRefusal | null {
  const parsed = WireError.safeParse(answer);
  return parsed.success ? new WspRefusal(what, parsed.data.error) : null;
}

export function errorIn(what: string, stderr: string): WspRefusal | null {
  return refusalIn(what, parseJson(stderr));
}

/** The server knows no such pane. */
export function isGone(error: unknown): boolean {
  return error instanceof WspRefusal && error.code === "pane_not_found";
}
