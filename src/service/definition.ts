/** What of this machine goes into a service's definition. */
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

export type Step =
  | { do: "write"; path: string; content: string }
  | { do: "remove"; path: string }
  /** `ifFails`: what is left then, in words for a person ("" for nothing); absent: it must not. */
  | { do: "run"; argv: readonly string[]; ifFails?: string };

/** A service in the words of the host's service manager. */
export interface ServiceDefinition {
  path: string;
  content: string;
  /** When the definition is new or has changed, and when it is there already. */
  install: { changed: readonly Step[]; unchanged: readonly Step[] };
  uninstall: readonly Step[];
  /** Ends with 0 when the service runs, with one of `stopped` when it does not. */
  isRunning: { argv: readonly string[]; stopped: readonly number[] };
  /** What the person should know afterwards. */
  hints: readonly string[];
}

/** Variables of the installing shell without which the service would see another machine. */
const KEPT_VARIABLES = ["PATH", "TMUX_TMPDIR"] as const;

/** The environment for the definition: PATH with its absolute folders, each once. */
export function serviceEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT_VARIABLES) {
    const value = name === "PATH" ? absoluteFolders(env[name] ?? "") : env[name];
    if (value !== undefined && value !== "") kept[name] = value;
  }
  return kept;
}

function absoluteFolders(path: string): string {
  const folders = path.split(":").filter((folder) => folder.startsWith("/"));
  return [...new Set(folders)].join(":");
}
