import { basename } from "node:path";
import { AppError, unknownDelivery } from "../../errors.ts";
import { RunError, type RunOptions } from "../../lib/run.ts";
import type { CreationPort, ExistingPlaces, NewPane, PaneLook, NewPanePlace } from "../provider.ts";
import { type Namespace, THIS_MACHINE } from "../namespace.ts";
import { CREATED_OPTION } from "./commands.ts";
import { meansCutOff, meansGone, meansNoPanes } from "./parse.ts";
import type { CommandLine, Tmux } from "./tmux.ts";

const TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Printed by the command that makes a pane; the target is last because names may hold blanks. */
const NEW_PANE_FORMAT = "#{pane_id} #{pane_pid} #{session_name}:#{window_index}.#{pane_index}";

export class MuxCreation implements CreationPort {
  readonly #tmux: Pick<Tmux, "run">;
  readonly #namespace: Namespace;
  readonly #env: Pick<RunOptions, "env">;

  /** A server that is started here, and every pane of it, inherits `env`. */
  constructor(tmux: Pick<Tmux, "run">, namespace = THIS_MACHINE, env?: RunOptions["env"]) {
    this.#tmux = tmux;
    this.#namespace = namespace;
    this.#env = env ? { env } : {};
  }

  async list(): Promise<ExistingPlaces> {
    const output = await this.#query(
      ["list-sessions", "-F", "s #{session_id} #{session_name}"],
      ["list-windows", "-a", "-F", "w #{session_id} #{window_name}"],
      ["list-panes", "-a", "-F", "p #{pane_id}"],
    );
    return parseExisting(output ?? "", this.#namespace);
  }

  async create(where: NewPanePlace, directory: string, argv: readonly string[]): Promise<NewPane> {
    const place =
      where.type === "pane" ? { ...where, paneId: this.#namespace.ownId(where.paneId) } : where;
    const isZoomed = place.type === "pane" && (await this.#isZoomed(place.paneId));
    const args = creationArgs(place, directory, argv, isZoomed);
    const { code, stdout, stderr } = await this.#change(args);
    const pane = code === 0 ? parseNewPane(stdout) : null;
    if (pane)
      return {
        ...pane,
        id: this.#namespace.id(pane.id),
        target: this.#namespace.place(pane.target),
      };
    const [, kind, message] = REFUSALS.find(([sign]) => sign.test(stderr)) ?? REFUSED;
    throw new AppError(kind, message, undefined, { cause: stderr.trim() });
  }

  async look(id: string): Promise<PaneLook | null> {
    const output = await this.#query([
      ...["list-panes", "-a", "-f", `#{==:#{pane_id},${this.#namespace.ownId(id)}}`],
      ...["-F", "#{pane_pid} #{pane_dead} #{pane_current_path}"],
    ]);
    // From tmux 3.8 on a program that has ended has no pid: it is "".
    const [, pid, dead, directory] = /^(\d*) (\d?) (.*)$/m.exec(output ?? "") ?? [];
    if (pid === undefined) return null;
    return { pid, isDead: dead === "1", directory: directory ?? "" };
  }

  async markCreated({ id }: NewPane): Promise<boolean> {
    const own = this.#namespace.ownId(id);
    return (await this.#query(["set-option", "-p", "-t", own, CREATED_OPTION, "1"])) !== null;
  }

  async close({ id, pid }: Pick<NewPane, "id" | "pid">, isAny: boolean): Promise<boolean> {
    const own = this.#namespace.ownId(id);
    const isSame = `#{==:#{pane_pid},${pid}}`;
    const mayGo = isAny ? isSame : `#{&&:${isSame},#{!=:#{${CREATED_OPTION}},}}`;
    const { code, stdout, stderr } = await this.#change([
      ...["if-shell", "-F", "-t", own, mayGo],
      ...[`kill-pane -t ${own}`, "display-message -p kept"],
    ]);
    return meansNothingThere(stderr) || (code === 0 && stdout.trim() !== "kept");
  }

  /** The pid is compared too: ids restart with the server. */
  async remove({ id, pid }: NewPane): Promise<void> {
    const isOurs = `#{||:#{==:#{pane_pid},${pid}},#{==:#{pane_pid},}}`;
    const own = this.#namespace.ownId(id);
    await this.#query(["if-shell", "-F", "-t", own, isOurs, `kill-pane -t ${own}`]);
  }

  async #isZoomed(paneId: string): Promise<boolean> {
    const flag = "#{window_zoomed_flag}";
    return (await this.#query(["display-message", "-p", "-t", paneId, flag]))?.trim() === "1";
  }

  /** As `#run`, to make or end a pane. @throws AppError of an unknown delivery where it may have been done */
  async #change(...line: CommandLine) {
    return this.#run(...line).catch((error: unknown) => {
      const cause = error instanceof AppError ? error.cause : null;
      const wasAsked = cause instanceof RunError && cause.kind !== "not_found";
      throw wasAsked
        ? unknownDelivery("the multiplexer did not say whether it was done", cause)
        : error;
    });
  }

  /** Null where that pane, or the whole server, is gone. @throws AppError unavailable */
  async #query(...line: CommandLine): Promise<string | null> {
    const { code, stdout, stderr } = await this.#run(...line);
    if (code === 0) return stdout;
    if (meansNothingThere(stderr)) return null;
    throw unavailable({ cause: stderr.trim() });
  }

  /** @throws AppError unavailable */
  async #run(...line: CommandLine) {
    try {
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES };
      const result = await this.#tmux.run(line, { ...limits, ...this.#env });
      return { ...result, stdout: new TextDecoder().decode(result.stdout) };
    } catch (cause) {
      if (cause instanceof RunError) throw unavailable({ cause });
      throw cause;
    }
  }
}

/** A server that ends right now has no panes any more either. */
const meansNothingThere = (stderr: string): boolean =>
  meansNoPanes(stderr) || meansCutOff(stderr) || meansGone(stderr);

function parseExisting(output: string, namespace: Namespace): ExistingPlaces {
  const windows = new Map<string, Set<string>>();
  const names = new Map<string, string>();
  const panes = new Set<string>();
  for (const line of output.split("\n")) {
    const [, kind, id, name] = /^([swp]) ([$%]\d+) ?([^]*)$/.exec(line) ?? [];
    if (id === undefined || name === undefined) continue;
    if (kind === "s") names.set(id, name);
    if (kind === "w") windows.set(id, (windows.get(id) ?? new Set()).add(name));
    if (kind === "p") panes.add(namespace.id(id));
  }
  const sessions = [...names].map(([id, name]) => ({
    id,
    name,
    windows: windows.get(id) ?? new Set<string>(),
  }));
  return { sessions, panes };
}

function parseNewPane(output: string): NewPane | null {
  const [, id, pid, target] = /^(%\d+) (\d+) (.+)$/m.exec(output) ?? [];
  return id && pid && target ? { id, pid, target } : null;
}

const REFUSALS = [
  [/^duplicate session/, "conflict", "the name is in use"],
  [/^can't find/, "not_found", "the parent no longer exists"],
  [/no space for/, "conflict", "the pane is too small to split"],
] as const;
const REFUSED = [null, "conflict", "the multiplexer refused to create it"] as const;

function unavailable(options: ErrorOptions): AppError {
  return new AppError("unavailable", "the multiplexer is unavailable", undefined, options);
}

/** `isZoomed`: the window that is split is zoomed. */
export function creationArgs(
  place: NewPanePlace,
  directory: string,
  argv: readonly string[],
  isZoomed = false,
): string[] {
  return [
    ...placeArgs(place, isZoomed),
    ...(place.type === "session" ? windowName(argv) : []),
    ...["-d", "-c", escapeFormat(directory), "-P", "-F", NEW_PANE_FORMAT],
    ...commandArgs(argv),
  ];
}

/** The name of its program: tmux would take the first word of the command line, which is `env`. */
function windowName([executable = ""]: readonly string[]): string[] {
  const name = basename(executable);
  // A name is expanded as a format.
  return /^[\w.-]+$/.test(name) ? ["-n", name] : [];
}

function placeArgs(place: NewPanePlace, isZoomed: boolean): string[] {
  switch (place.type) {
    case "session":
      // -E: the session takes the environment of the multiplexer, not the service's display or ssh agent.
      return ["new-session", "-E", "-s", place.name];
    case "window":
      return ["new-window", "-t", `${place.sessionId}:`, "-n", place.name];
    case "pane": {
      const direction = place.split === "side_by_side" ? "-h" : "-v";
      // A split ends a zoom. -Z keeps it, but would zoom a window that is not.
      const zoom = isZoomed ? ["-Z"] : [];
      const size = `${place.sizePercent}%`;
      return ["split-window", ...zoom, direction, "-l", size, "-t", place.paneId];
    }
  }
}

// tmux hands a single argument to a shell and executes several as they are; `env` makes them several.
function commandArgs(argv: readonly string[]): string[] {
  return argv.length === 0 ? [] : ["--", "/usr/bin/env", ...argv];
}

/**
 * A start directory is expanded as a format, where `#(…)` runs a command: every `#` is doubled, except
 * those before a `[`, which are kept as they are.
 */
function escapeFormat(path: string): string {
  return path.replace(/(#+)(\[?)/g, (_, marks: string, bracket: string) =>
    bracket === "" ? marks + marks : marks + bracket,
  );
}
