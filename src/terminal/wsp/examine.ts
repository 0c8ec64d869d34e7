import { lstatSync } from "node:fs";
import type { z } from "zod";
import { StartupError } from "../../errors.ts";
import {
  checkList,
  checkSchema,
  checkServer,
  checkSession,
  checkSocket,
  checkVersion,
  type FileFacts,
  type Identity,
  type SessionCheck,
  type SocketFile,
} from "./identity.ts";
import type { Tool } from "./tool.ts";
import { jsonOf, parse, WireSessions, WireStatus, WspFailure } from "./wire.ts";

interface Examination {
  /** In order, up to the first that failed. */
  checks: readonly SessionCheck[];
  identity: Identity | null;
}

export async function examine(tool: Tool, signal?: AbortSignal): Promise<Examination> {
  const checks: SessionCheck[] = [];
  try {
    return { checks, identity: await identityOf(tool, checks, signal) };
  } catch (error) {
    if (!(error instanceof WspFailure)) throw error;
    const { message: found, category } = error;
    const remedy = `check that herdr itself answers: herdr status --session ${tool.session}`;
    checks.push({ check: "tool", found, fault: { remedy, category } });
    return { checks, identity: null };
  }
}

async function identityOf(
  tool: Tool,
  checks: SessionCheck[],
  signal?: AbortSignal,
): Promise<Identity | null> {
  const { session } = tool;
  const passes = (check: SessionCheck) => {
    checks.push(check);
    return check.fault === null;
  };
  const ask = async (what: string) =>
    jsonOf(await tool.read([...what.split(" "), "--json"], signal), what);
  const askFor = async <T>(schema: z.ZodType<T>, what: string) =>
    parse(schema, await ask(what), what);
  const status = await askFor(WireStatus, "status");
  const version = status.client.version ? null : await versionOf(tool, signal);
  if (!passes(checkServer(status, session))) return null;
  const { release, ...versions } = checkVersion(status, version);
  if (!passes(versions) || !release || !passes(checkSession(status, session))) return null;
  const path = status.server.socket ?? "";
  const list = await askFor(WireSessions, "session list");
  const file = fileFacts(path);
  if (!passes(checkList(list, session, path))) return null;
  if (!passes(checkSocket(path, file, ownUid())) || !file) return null;
  const { methods, hasEvents, ...schema } = checkSchema(await ask("api schema"), release);
  if (!passes(schema)) return null;
  return { release, socket: { path, mark: file.mark }, methods, hasEvents };
}

/** @throws WspFailure naming the check that failed, what was found and what to do */
export function requireIdentity({ checks, identity }: Examination): Identity {
  if (identity) return identity;
  const { check = "tool", found = "no answer", fault = null } = checks.at(-1) ?? {};
  const message = `wsp ${check}: ${found}`;
  throw new WspFailure(
    fault?.category ?? "command_failed",
    fault ? `${message}; ${fault.remedy}` : message,
  );
}

/** @throws StartupError for a text that cannot name a session; `.` and `..` would be folders */
export function requireSessionName(session: string): void {
  if (session === "")
    throw new StartupError(
      "wsp session: none is named; set terminal.wsp.session (or --wsp-session) to the running session to watch",
    );
  if (!/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/.test(session))
    throw new StartupError(
      `wsp session: ${JSON.stringify(session.slice(0, 80))} is no session name; 1 to 64 letters, digits, dots, underscores and hyphens are needed`,
    );
}

/** Whether the socket is still the file that was checked, with the same owner and mode. */
export function isSameSocket({ path, mark }: SocketFile): boolean {
  const now = fileFacts(path);
  return now?.mark === mark && checkSocket(path, now, ownUid()).fault === null;
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
    const file = lstatSync(path);
    return {
      isSocket: file.isSocket(),
      uid: file.uid,
      mode: file.mode & 0o777,
      mark: `${file.dev}:${file.ino}:${file.ctimeMs}`,
    };
  } catch {
    // Missing, or not readable.
    return null;
  }
}
