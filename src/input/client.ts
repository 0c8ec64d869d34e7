import { AppError } from "../errors.ts";
import { SERVICE } from "../ledger/ledger.ts";
import type { ActBy } from "../protocol/act.ts";
import { allows, type Scope } from "../protocol/scope.ts";
import { SID_HEADER } from "../protocol/socket.ts";
import { actByOf, ANYBODY, type RequestFacts } from "../slice.ts";

/** `name` is for the log only: a client may send any session header. */
export interface Client {
  name: string;
  scope: Scope;
  by: ActBy;
}

export function clientOf(c: {
  env: Pick<RequestFacts, "grant" | "peer">;
  req: { header(name: string): string | undefined };
}): Client {
  const { grant = ANYBODY, peer } = c.env;
  const header = c.req.header(SID_HEADER);
  const session = header !== undefined && /^[0-9a-f]{8}$/.test(header) ? ` (${header})` : "";
  return { name: `${grant.name}${session} at ${peer}`, scope: grant.scope, by: actByOf(c.env) };
}

export const SERVICE_CLIENT: Client = { name: "nobody", scope: "own", by: SERVICE };

const ANSWER_KEYS: ReadonlySet<string> = new Set(["Enter", "Escape"]);
/** A terminal could take one for a command; behind a line break the next program would read on. */
export const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

export interface ScopedRequest {
  /** It names the fingerprint of a prompt. */
  isForPrompt: boolean;
  key?: string | undefined;
  /** Everything that is typed, the key of an option included. */
  texts?: readonly (string | undefined)[];
}

/**
 * The scope `answer` answers the prompt that is shown, with nothing that could reach the program
 * behind it. @throws AppError forbidden
 */
export function requireAnswer({ name, scope }: Client, request: ScopedRequest): void {
  if (allows(scope, "type")) return;
  const { isForPrompt, key, texts = [] } = request;
  const isAnswer =
    isForPrompt &&
    (key === undefined || ANSWER_KEYS.has(key)) &&
    texts.every((text) => !CONTROL_CHARACTER.test(text ?? ""));
  if (!isAnswer)
    throw new AppError("forbidden", `${name} may answer the prompt that is shown: this needs type`);
}
