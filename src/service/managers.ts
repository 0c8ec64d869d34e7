import { join, resolve } from "node:path";
import { StartupError } from "../errors.ts";
import { fillTemplate } from "../lib/words.ts";
import launchAgent from "./launchd.txt";
import userUnit from "./systemd.txt";

/** Names the socket of the ssh agent with the keys of watched machines. */
const SSH_AGENT = "SSH_AUTH_SOCK";

export interface ServiceFacts {
  argv: readonly string[];
  /** The environment of the service, beside the manager's own. */
  env: Readonly<Record<string, string>>;
  home: string;
  /** `$XDG_CONFIG_HOME`, or `~/.config`. */
  configHome: string;
  userId: number;
}

export interface ManagerCommand {
  argv: readonly string[];
  /** Its failure is no error, and this consequence is printed ("": none). */
  ifFails?: string;
  /** Waits first until this one fails: then the stopped job is gone. */
  after?: readonly string[];
}

const RESTART_YOURSELF = "the one from before still runs: restart it yourself";

export interface ServiceDefinition {
  path: string;
  content: string;
  /** `unchanged`: the same definition is installed already. */
  install: { changed: readonly ManagerCommand[]; unchanged: readonly ManagerCommand[] };
  /** `files` are removed between the commands; the definition is one of them. */
  uninstall: {
    stop: ManagerCommand;
    files: readonly string[];
    forget: readonly ManagerCommand[];
  };
  restart: ManagerCommand;
  /**
   * Exits with 0 when the service runs, with one of `stopped` when it does not. With `shows`, 0
   * tells only that the manager knows the service, and the output whether it runs.
   */
  isRunning: { argv: readonly string[]; stopped: readonly number[]; shows?: RegExp };
  hints: readonly string[];
}

/** Their paths are made absolute. */
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

/** Variables of the installing shell that the service needs to behave as in that shell. */
export const KEPT_VARIABLES: readonly string[] = [
  ...["PATH", SSH_AGENT],
  ...KEPT_PATHS,
  ...KEPT_VALUES,
];

export function serviceEnvironment(env: Environment): Record<string, string> {
  const entries = KEPT_VARIABLES.map((name) => [name, keptValue(name, env)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== ""));
}

type Environment = Readonly<Record<string, string | undefined>>;

function keptValue(name: string, env: Environment): string {
  const value = env[name] ?? "";
  if (name === SSH_AGENT) return lastingAgent(value, env);
  if (name === "PATH") return absoluteFolders(value);
  return value !== "" && KEPT_PATHS.includes(name) ? resolve(value) : value;
}

function absoluteFolders(path: string): string {
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  return [...new Set(folders)].join(":");
}

/**
 * The socket of an ssh agent that the next login has too; "" for an agent of this login alone, which
 * would hide the one that the service manager gives.
 */
function lastingAgent(socket: string, env: Environment): string {
  const folders = [env.XDG_RUNTIME_DIR, env.HOME].filter((folder) => folder?.startsWith("/"));
  const isOwn = folders.some((folder) => socket.startsWith(`${folder}/`));
  // Newer OpenSSH keeps the sockets of single logins in the home folder.
  return isOwn && !socket.includes("/.ssh/agent/") ? socket : "";
}

const LABEL = "panewatch";

export function launchdService(facts: ServiceFacts): ServiceDefinition {
  const path = join(facts.home, "Library", "LaunchAgents", `${LABEL}.plist`);
  const log = join(facts.home, "Library", "Logs", `${LABEL}.log`);
  const content = renderAgent(facts, log);
  const domain = `gui/${facts.userId}`;
  const start = { argv: ["launchctl", "bootstrap", domain, path] };
  // It fails where nothing runs.
  const stop = { argv: ["launchctl", "bootout", `${domain}/${LABEL}`], ifFails: "" };
  const print = ["launchctl", "print", `${domain}/${LABEL}`];
  return {
    path,
    content,
    install: {
      // bootout returns before the job is gone, and bootstrap is refused until then.
      changed: [stop, { ...start, after: print }],
      // bootstrap fails where the service runs already.
      unchanged: [{ ...start, ifFails: "" }],
    },
    uninstall: { stop, files: [path], forget: [] },
    restart: {
      argv: ["launchctl", "kickstart", "-k", `${domain}/${LABEL}`],
      ifFails: RESTART_YOURSELF,
    },
    // launchd also knows a job that crashes repeatedly: "spawn scheduled".
    isRunning: { argv: print, stopped: [3, 113], shows: /^\s*state = running$/m },
    hints: [`Its log: ${log}`],
  };
}

function renderAgent({ argv, env }: Pick<ServiceFacts, "argv" | "env">, log: string): string {
  const words = argv.map((word) => `    <string>${Bun.escapeHTML(word)}</string>`);
  const variables = Object.entries(env).flatMap(([name, value]) => [
    `    <key>${Bun.escapeHTML(name)}</key>`,
    `    <string>${Bun.escapeHTML(value)}</string>`,
  ]);
  return fillTemplate(launchAgent, {
    ...{ LABEL, LOG: Bun.escapeHTML(log) },
    ...{ WORDS: words.join("\n"), VARIABLES: variables.join("\n") },
  });
}

const UNIT = "panewatch.service";

export function systemdService(facts: ServiceFacts): ServiceDefinition {
  const folder = join(facts.configHome, "systemd", "user");
  const path = join(folder, UNIT);
  const content = renderUnit(facts);
  return {
    path,
    content,
    install: {
      changed: [systemctl("daemon-reload"), systemctl("enable", UNIT), systemctl("restart", UNIT)],
      unchanged: [systemctl("enable", UNIT), systemctl("start", UNIT)],
    },
    uninstall: {
      stop: {
        ...systemctl("disable", "--now", UNIT),
        ifFails: "where it still runs, it does until you log out or end it",
      },
      // The link as "disable" removes it, for a manager that cannot be reached.
      files: [join(folder, "default.target.wants", UNIT), path],
      forget: [
        { ...systemctl("daemon-reload"), ifFails: "the manager knows it until its next start" },
      ],
    },
    restart: { ...systemctl("restart", UNIT), ifFails: RESTART_YOURSELF },
    isRunning: { argv: ["systemctl", "--user", "is-active", "--quiet", UNIT], stopped: [3, 4] },
    hints: [
      `Its log: journalctl --user -u ${UNIT}`,
      "To keep it running after you log out: loginctl enable-linger",
    ],
  };
}

function systemctl(...args: readonly string[]): ManagerCommand {
  return { argv: ["systemctl", "--user", ...args] };
}

/** @throws StartupError for a path that a unit cannot name */
export function renderUnit({ argv, env }: Pick<ServiceFacts, "argv" | "env">): string {
  const [executable = "", ...args] = argv;
  const command = [quoteExecutable(executable), ...args.map(quoteArgument)].join(" ");
  const environment = Object.entries(env).map(
    ([name, value]) => `Environment=${quoteWord(`${name}=${value}`)}`,
  );
  return fillTemplate(userUnit, { COMMAND: command, ENVIRONMENT: environment.join("\n") });
}

/** systemd expands no variables in the path of the executable: a dollar is not doubled there. */
function quoteExecutable(path: string): string {
  if (/["'\\\p{Cc}]/u.test(path))
    throw new StartupError(`cannot write a unit for ${path}: move it to a path without quotes`);
  return quoteWord(path);
}

function quoteArgument(text: string): string {
  return quoteWord(text).replaceAll("$", "$$$$");
}

/** In double quotes, with C escapes, and with escaped `%` specifiers. */
function quoteWord(text: string): string {
  const escaped = text
    .replaceAll("\\", "\\\\")
    .replaceAll('"', '\\"')
    .replaceAll("%", "%%")
    .replace(
      /[\x00-\x1f\x7f]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
  return `"${escaped}"`;
}
