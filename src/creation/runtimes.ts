import { isAbsolute } from "node:path";
import { LABELS } from "../detect/agents.ts";
import { type CreationState, RuntimeId } from "../protocol/creation.ts";
import type { Disk } from "./roots.ts";

/** Configured argument lists, the executable first; `shell` needs none. */
export type RuntimeCommands = Partial<Record<RuntimeId, readonly string[]>>;

/** The executable is absolute. */
type Launch = { argv: readonly string[] } | { unavailable: string };

type Which = Pick<Disk, "which">;

/** Without a multiplexer no runtime is available. */
export function listRuntimes(
  commands: RuntimeCommands,
  disk: Which,
  muxUnavailable: string | null,
): Promise<CreationState["runtimes"]> {
  return Promise.all(
    RuntimeId.options.map(async (id) => {
      // A machine that is away cannot look for executables.
      const away = muxUnavailable === null ? null : { unavailable: muxUnavailable };
      const launch = away ?? (await launchOf(id, commands, disk));
      const reason = "unavailable" in launch ? launch.unavailable : null;
      const label = id === "shell" ? "Shell" : (LABELS[id] ?? id);
      return { id, label, available: reason === null, reason };
    }),
  );
}

/**
 * Looks the executable up at each use, so that a program installed later needs no restart. `shell`
 * is an empty list: the multiplexer starts its default one.
 */
export async function launchOf(
  id: RuntimeId,
  commands: RuntimeCommands,
  disk: Which,
): Promise<Launch> {
  if (id === "shell") return { argv: [] };
  const [executable, ...rest] = commands[id] ?? [];
  if (!executable) return { unavailable: "No command is configured for this runtime." };
  // A relative path would depend on the directory of the service.
  const isRelative = executable.includes("/") && !isAbsolute(executable);
  const path = isRelative ? null : await disk.which(executable);
  // `env`, which starts it, would read a path with "=" as an assignment.
  return path !== null && isAbsolute(path) && !path.includes("=")
    ? { argv: [path, ...rest] }
    : { unavailable: "The executable was not found on this host." };
}

type Environment = Record<string, string | undefined>;

const MIN_FINDABLE_CHARS = 6;

// They describe this service, not the host or the person.
const OF_THE_SERVICE =
  /^(PANEWATCH_\w*|TMUX_PANE|INVOCATION_ID|JOURNAL_STREAM|NOTIFY_SOCKET|SYSTEMD_EXEC_PID|MANAGERPID|LISTEN_(FDS|PID|FDNAMES)|WATCHDOG_(USEC|PID))$/;

/**
 * The environment for the multiplexer: where no server runs yet, creation starts one, and every
 * pane inherits it. Variables that hold a secret of the service are left out.
 */
export function paneEnvironment(own: Environment, secrets: readonly string[]): Environment {
  const hidden = secrets.filter((secret) => secret !== "");
  const kept = Object.entries(own).filter(
    ([name, value]) =>
      value !== undefined &&
      !OF_THE_SERVICE.test(name) &&
      !hidden.some((secret) => holds(value, secret)),
  );
  return Object.fromEntries(kept);
}

// A short secret occurs by chance in unrelated values, such as PATH.
function holds(value: string, secret: string): boolean {
  return secret.length < MIN_FINDABLE_CHARS ? value === secret : value.includes(secret);
}
