import { lstatSync } from "node:fs";
import { StartupError } from "../../errors.ts";
import { jsonOf, parse, WireSessions, WireStatus, WspFailure } from "./wire.ts";
import {
  checkList,
  checkSchema,
  checkServer,
  checkSession,
  checkSocket,
  checkVersion,
  type SessionCheck,
  type FileFacts,
  type Identity,
  type SocketFile,
} from "./identity.ts";
import type { Tool } from "./tool.ts";

const FILE_TYPE = 0o170000;
const SOCKET_TYPE = 0o140000;

/** 1 to 64 bytes; `.` and `..` would be folders. */
const SESSION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/;

interface Examination {
  /** In the order of the checks, up to the first that failed. */
  findings: SessionCheck[];
  /** Null when one failed. */
  identity: Identity | null;
}

/** Looks at the executable, the session, its socket and the schema, one check after another. */
export async function examine(tool: Tool, signal?: AbortSignal): Promise<Examination> {
  const findings: SessionCheck[] = [];
  const accept = (finding: SessionCheck): boolean => {
    findings.push(finding);
    return finding.fault === null;
  };
  const ask = async (words: readonly string[], what: string) =>
    jsonOf(await tool.read(words, signal), what);
  const { session } = tool;
  const failed = { findings, identity: null };
  try {
    const status = parse(WireStatus, await ask(["status", "--json"], "status"), "status");
    const version = status.client.version ? null : await versionOf(tool, signal);
    if (!accept(checkServer(status, session))) return failed;
    const { release, ...versions } = checkVersion(status, version);
    if (!accept(versions) || !release) return failed;
    if (!accept(checkSession(status, session))) return failed;
    const path = status.server.socket ?? "";
    const list = parse(
      WireSessions,
      await ask(["session", "list", "--json"], "session list"),
      "session list",
    );
    if (!accept(checkList(list, session, path))) return failed;
    const file = fileFacts(path);
    if (!accept(checkSocket(path, file, ownUid())) || !file) return failed;
    const schema = checkSchema(await ask(["api", "schema", "--json"], "schema"), release);
    if (!accept(schema)) return failed;
    const { methods, hasEvents } = schema;
    const { mark } = file;
    return { findings, identity: { release, socket: { path, mark }, methods, hasEvents } };
  } catch (error) {
    if (!(error instanceof WspFailure)) throw error;
    const { message: found, category } = error;
    const remedy = "check that herdr itself answers: herdr status --session " + session;
    accept({ check: "tool", found, fault: { found, remedy, category } });
    return failed;
  }
}

/** @throws StartupError naming the check that failed, what was found and what to do */
export function requireIdentity({ findings, identity }: Examination): Identity {
  if (identity) return identity;
  const last = findings.at(-1);
  throw new StartupError(last ? lineOf(last) : "wsp tool: no answer");
}

/** The check, what was found, and what to do. */
function lineOf({ check, found, fault }: SessionCheck): string {
  return `wsp ${check}: ${fault ? `${fault.found}; ${fault.remedy}` : found}`;
}

export function isSessionName(name: string): boolean {
  return SESSION_NAME.test(name);
}

/** @throws StartupError for a name that can be no session's */
export function requireSessionName(session: string): void {
  if (session === "")
    throw new StartupError(
      "wsp session: none is named; set terminal.wsp.session (or --wsp-session) to the running session to watch",
    );
  if (!isSessionName(session))
    throw new StartupError(
      `wsp session: ${JSON.stringify(session.slice(0, 80))} is no session name; 1 to 64 letters, digits, dots, underscores and hyphens are needed`,
    );
}

/** The same as `requireIdentity` for a service that runs: nothing stops, the pass fails. */
export function identityOrFailure({ findings, identity }: Examination): Identity {
  if (identity) return identity;
  const last = findings.at(-1);
  throw new WspFailure(
    last?.fault?.category ?? "command_failed",
    last ? lineOf(last) : "wsp tool: no answer",
  );
}

/** Whether the socket is still the file that was checked, in the state that it was checked for. */
export function isSameSocket({ path, mark }: SocketFile): boolean {
  const now = fileFacts(path);
  if (now?.mark !== mark) return false;
  return checkSocket(path, now, ownUid()).fault === null;
}

async function versionOf(tool: Tool, signal?: AbortSignal): Promise<string | null> {
  const text = await tool.read(["--version"], signal);
  return /^herdr (\S+)\s*$/.exec(text)?.[1] ?? null;
}

function ownUid(): number {
  return process.getuid?.() ?? -1;
}

function fileFacts(path: string): FileFacts | null {
  try {
    const { uid, mode, dev, ino, ctimeMs } = lstatSync(path);
    return {
      isSocket: (mode & FILE_TYPE) === SOCKET_TYPE,
      uid,
      mode: mode & 0o777,
      mark: `${dev}:${ino}:${ctimeMs}`,
    };
  } catch {
    // Nothing is there, or nothing that may be looked at.
    return null;
  }
}
