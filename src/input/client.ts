import { AppError } from "../errors.ts";
import { SERVICE } from "../ledger/ledger.ts";
import type { ActBy } from "../protocol/act.ts";
import { allows, type Scope } from "../protocol/scope.ts";
import { SID_HEADER } from "../protocol/socket.ts";
import { ANYBODY, type RequestFacts } from "../slice.ts";

export interface Client {
  name: string;
  scope: Scope;
  by: ActBy;
}

/** Who asks. Any client may send anything in its header. */
export function clientOf(c: {
  env: Pick<RequestFacts, "grant" | "peer">;
  req: { header(name: string): string | undefined };
}): Client {
  const { grant = ANYBODY, peer } = c.env;
  const header = c.req.header(SID_HEADER);
  const session = header !== undefined && /^[0-9a-f]{8}$/.test(header) ? ` (${header})` : "";
  const by = { grant: grant.id, name: grant.name };
  return { name: `${grant.name}${session} at ${peer}`, scope: grant.scope, by };
}

export const SERVICE_CLIENT: Client = { name: "nobody", scope: "own", by: SERVICE };

/** Keys of the scope `answer`. */
const ANSWER_KEYS: ReadonlySet<string> = new Set(["Enter", "Escape"]);
/** What a terminal could take for a command: behind a line break the next program would read on. */
export const CONTROL = /[\u0000-\u001f\u007f]/;

export interface ScopedRequest {
  /** Whether it holds for one prompt alone, which is shown. */
  isForPrompt: boolean;
  key?: string | undefined;
  /** What is typed, an option's key too. */
  texts?: readonly (string | undefined)[];
}

/** The prompt that is shown, and nothing that could reach what stands behind it. @throws AppError forbidden */
export function requireAnswer({ name, scope }: Client, asked: ScopedRequest): void {
  if (allows(scope, "type")) return;
  const { isForPrompt, key, texts = [] } = asked;
  const isAnswer =
    isForPrompt &&
    (key === undefined || ANSWER_KEYS.has(key)) &&
    texts.every((text) => !CONTROL.test(text ?? ""));
  if (!isAnswer)
    throw new AppError("forbidden", `${name} may answer the prompt that is shown: this needs type`);
}
