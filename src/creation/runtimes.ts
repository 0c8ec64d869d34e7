import { isAbsolute } from "node:path";
import { LABELS } from "../detect/agents.ts";
import { type CreationState, RuntimeId } from "../protocol/creation.ts";

/** The configured argument lists; the first item is the executable. `shell` needs none. */
export type RuntimeCommands = Partial<Record<RuntimeId, readonly string[]>>;

/** How a runtime starts now: an argument list with an absolute executable, or why it cannot. */
type Launch = { argv: readonly string[] } | { unavailable: string };

interface RuntimesDeps {
  commands: RuntimeCommands;
  which: (executable: string) => Promise<string | null>;
}

/** Looked up at each use, so that a program installed later needs no restart. */
export class Runtimes {
  readonly #deps: RuntimesDeps;

  constructor(deps: RuntimesDeps) {
    this.#deps = deps;
  }

  /** Without a multiplexer none is available, whatever its executable. */
  list(muxUnavailable: string | null): Promise<CreationState["runtimes"]> {
    return Promise.all(
      RuntimeId.options.map(async (id) => {
        const reason = muxUnavailable ?? (await this.#whyNot(id));
        const label = id === "shell" ? "Shell" : (LABELS[id] ?? id);
        return { id, label, available: reason === null, reason };
      }),
    );
  }

  /** The default shell is an empty list: the multiplexer starts its own. */
  async launch(id: RuntimeId): Promise<Launch> {
    if (id === "shell") return { argv: [] };
    const [executable, ...rest] = this.#deps.commands[id] ?? [];
    if (!executable) return { unavailable: "No command is configured for this runtime." };
    const found = await this.#find(executable);
    if (found === null) return { unavailable: "The executable was not found on this host." };
    return { argv: [found, ...rest] };
  }

  async #whyNot(id: RuntimeId): Promise<string | null> {
    const launch = await this.launch(id);
    return "unavailable" in launch ? launch.unavailable : null;
  }

  async #find(executable: string): Promise<string | null> {
    // A relative path would depend on where the service happens to run.
    if (executable.includes("/") && !isAbsolute(executable)) return null;
    const path = await this.#deps.which(executable);
    // `env`, which starts it, would read a path with "=" as an assignment.
    return path !== null && isAbsolute(path) && !path.includes("=") ? path : null;
  }
}

type Environment = Record<string, string | undefined>;

const MIN_FINDABLE_CHARS = 6;

// Variables that describe this service, not the host or the person.
const OF_THE_SERVICE =
  /^(PANEWATCH_\w*|TMUX_PANE|INVOCATION_ID|JOURNAL_STREAM|NOTIFY_SOCKET|SYSTEMD_EXEC_PID|MANAGERPID|LISTEN_(FDS|PID|FDNAMES)|WATCHDOG_(USEC|PID))$/;

/**
 * The environment that the multiplexer sees: where no server runs yet, creation starts one, and
 * every pane inherits it. Anything that holds one of our secrets stays out.
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
