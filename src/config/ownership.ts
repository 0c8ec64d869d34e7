import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { lstat, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../errors.ts";
import { quoteWord } from "../lib/words.ts";

const OTHERS_WRITE = 0o022;
const OTHERS_READ = 0o055;

/** Whether a file's name is one of the service's: a configuration may lie beside them. */
export function isStateFile(name: string): boolean {
  return (
    /^(panewatch[-.]|acts\.sqlite|server-instance-id$|uploads$|cases$)/.test(name) &&
    !/\.ya?ml$/.test(name)
  );
}

interface OwnershipFault {
  text: string;
  /** A command, or an advice. */
  remedy: string;
  isGrave: boolean;
  /** About permissions, which mean nothing on a file system without them. */
  isOfRights: boolean;
}

/**
 * The files of the state directory sign in and are obeyed: they must belong to us or root, and
 * nobody else may write them. No faults where the directory does not exist yet. Those of the
 * configuration are not grave: several people may keep it on purpose.
 */
export async function ownershipFaults(
  stateDir: string,
  configPath: string | null = null,
  knows: typeof knowsRights = knowsRights,
): Promise<OwnershipFault[]> {
  const folder = await stat(stateDir).catch(() => null);
  if (folder === null) return [];
  const names = await readdir(stateDir).catch(() => []);
  const entries = await Promise.all(
    names.filter(isStateFile).map(async (name) => {
      const path = join(stateDir, name);
      const stats = await lstat(path).catch(() => null);
      return stats && faultOf(path, stats);
    }),
  );
  const config = configPath === null ? null : await stat(configPath).catch(() => null);
  const written = configPath !== null && config ? faultOf(configPath, config) : null;
  const faults = [
    ...[faultOf(stateDir, folder), ...entries].filter((fault) => fault !== null),
    ...(written ? [{ ...written, isGrave: false }] : []),
  ];
  if (!faults.some(({ isOfRights }) => isOfRights) || (await knows(stateDir))) return faults;
  const remedy = "keep it on a file system that knows rights";
  return faults.map((fault) => (fault.isOfRights ? { ...fault, isGrave: false, remedy } : fault));
}

/** @returns warnings. @throws StartupError for a grave fault, with its remedy */
export async function requireOwnState(
  stateDir: string,
  configPath: string | null = null,
): Promise<string[]> {
  const lines = (await ownershipFaults(stateDir, configPath)).map((fault) => ({
    ...fault,
    line: `${fault.text}: ${fault.remedy}`,
  }));
  const grave = lines.find(({ isGrave }) => isGrave);
  if (grave) throw new StartupError(grave.line);
  return lines.map(({ line }) => line);
}

function faultOf(path: string, stats: Stats): OwnershipFault | null {
  const { mode, uid } = stats;
  const quoted = quoteWord(path);
  if (stats.isSymbolicLink()) {
    const remedy = "put the file itself there";
    const text = `${path} is a link, which could lead anywhere`;
    return { text, remedy, isGrave: true, isOfRights: false };
  }
  if (uid !== 0 && uid !== process.getuid?.()) {
    const remedy = `sudo chown -R "$USER" ${quoted}, or use another --config`;
    const text = `${path} belongs to another user (${uid})`;
    return { text, remedy, isGrave: true, isOfRights: false };
  }
  const rights = (text: string, remedy: string, isGrave: boolean) => ({
    text: `${text} ${path}`,
    remedy: `${remedy} ${quoted}`,
    isGrave,
    isOfRights: true,
  });
  if (mode & OTHERS_WRITE) return rights("others can write", "chmod go-w", true);
  if (stats.isDirectory() && mode & OTHERS_READ)
    return rights("others can read in", "chmod go=", false);
  return null;
}

/** Tries it with a private file: some file systems give every file the same permissions. */
async function knowsRights(stateDir: string): Promise<boolean> {
  const path = join(stateDir, `.panewatch-${randomBytes(6).toString("hex")}.tmp`);
  try {
    await using file = await open(path, "wx", 0o600);
    return ((await file.stat()).mode & 0o077) === 0;
  } catch {
    return true;
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
