import { resolve } from "node:path";

/** The agent that opens the keys of watched machines. */
export const SSH_AGENT = "SSH_AUTH_SOCK";

export interface ServiceFacts {
  /** The program and its arguments; everything absolute. */
  argv: readonly string[];
  /** The whole environment that the service is given beside the manager's own. */
  env: Readonly<Record<string, string>>;
  home: string;
  /** `$XDG_CONFIG_HOME`, or `~/.config`. */
  configHome: string;
  userId: number;
}

export type ServiceStep =
  | { do: "write"; path: string; content: string }
  | { do: "remove"; path: string }
  /** `ifFails`: the failure is no error, and this is told of what is left ("": nothing). */
  | { do: "run"; argv: readonly string[]; ifFails?: string }
  /** Repeats the command until it fails: the job that was stopped has gone. */
  | { do: "wait"; argv: readonly string[] };

/** Told where a restart fails. */
export const RESTART_YOURSELF = "the one from before still runs: restart it yourself";

export interface ServiceDefinition {
  path: string;
  content: string;
  /** When the definition is new or has changed, and when it is there already. */
  install: { changed: readonly ServiceStep[]; unchanged: readonly ServiceStep[] };
  uninstall: readonly ServiceStep[];
  restart: readonly ServiceStep[];
  /**
   * Ends with 0 when the service runs, with one of `stopped` when it does not. With `shows` an end
   * with 0 tells only that the manager knows it, and its output whether it runs.
   */
  isRunning: { argv: readonly string[]; stopped: readonly number[]; shows?: RegExp };
  /** What the person should know afterwards. */
  hints: readonly string[];
}

/** Folders and files that a variable names: absolute in the definition. */
const KEPT_PATHS = [
  ...["TMUX_TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  ...["CLAUDE_CONFIG_DIR", "CODEX_HOME"],
  ...["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"],
];

const KEPT_VALUES = [
  ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"],
  ...["LANG", "LC_ALL", "LC_CTYPE"],
  ...["ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL", "OPENAI_BASE_URL"],
];

/** Variables of the installing shell without which the service would not do what was tried there. */
export const KEPT_VARIABLES: readonly string[] = [
  ...["PATH", SSH_AGENT],
  ...KEPT_PATHS,
  ...KEPT_VALUES,
];

/** The environment for the definition: PATH with its absolute folders, each once. */
export function serviceEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_VARIABLES) {
    const value = name === SSH_AGENT ? lastingAgent(env) : keptValue(name, env[name] ?? "");
    if (value !== "") kept[name] = value;
  }
  return kept;
}

function keptValue(name: string, value: string): string {
  if (name === "PATH") return absoluteFolders(value);
  return value !== "" && KEPT_PATHS.includes(name) ? resolve(value) : value;
}

function absoluteFolders(path: string): string {
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  return [...new Set(folders)].join(":");
}

/** The socket of an agent that is there again after the next login; "" for one of this login alone. */
function lastingAgent(env: Readonly<Record<string, string | undefined>>): string {
  const socket = env[SSH_AGENT] ?? "";
  const folders = [env.XDG_RUNTIME_DIR, env.HOME].filter((folder) => folder?.startsWith("/"));
  const isOwn = folders.some((folder) => socket.startsWith(`${folder}/`));
  // Newer OpenSSH keeps the sockets of single logins in the home folder.
  return isOwn && !socket.includes("/.ssh/agent/") ? socket : "";
}

interface AgentFacts {
  platform: string;
  hasHosts: boolean;
  /** Socket of the agent of this shell; "": it has none. */
  agent: string;
  isGiven: boolean;
}

/** Where the keys of this shell are not the service's: what follows, and what to do; else null. */
export function agentFault(facts: AgentFacts): { text: string; remedy: string } | null {
  const { platform, hasHosts, agent, isGiven } = facts;
  // launchd gives each job the agent of the login.
  if (platform === "darwin" || !hasHosts || agent === "" || isGiven) return null;
  return {
    text: `the ssh agent of this shell (${agent}) ends with its login and is not the service's: a machine that needs its keys cannot be watched`,
    remedy: "name a lasting one as IdentityAgent in ~/.ssh/config (docs/hosts.md)",
  };
}
