import { AppError } from "../errors.ts";
import { run, RunError } from "../lib/run.ts";
import type { ListedSession } from "./plan.ts";

const TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

export interface MuxDeps {
  /**
   * The whole argument list for multiplexer arguments: executable, UTF-8, socket. It escapes
   * nothing.
   */
  muxCommand: (args: readonly string[]) => readonly string[];
  env: Record<string, string | undefined>;
  /** The pane option by which a listing tells what was created here. */
  createdOption: string;
}

/** What exists now, with the names that are taken. */
export interface Existing {
  sessions: ListedSession[];
  panes: Set<string>;
}

export interface NewPane {
  id: string;
  pid: string;
  target: string;
}

/** A look at a pane: the current directory of its process is "" when the host does not tell. */
export interface PaneLook {
  pid: string;
  isDead: boolean;
  directory: string;
}

/** What a new pane prints about itself; the target is last because names may hold spaces. */
export const NEW_PANE_FORMAT =
  "#{pane_id} #{pane_pid} #{session_name}:#{window_index}.#{pane_index}";

/** The multiplexer's commands that creation needs. Nothing that it prints reaches a reply. */
export class CreationMux {
  readonly #deps: MuxDeps;

  constructor(deps: MuxDeps) {
    this.#deps = deps;
  }

  async list(): Promise<Existing> {
    const { code, stdout, stderr } = await this.#run(
      ["list-sessions", "-F", "s #{session_id} #{session_name}", ";"],
      ["list-windows", "-a", "-F", "w #{session_id} #{window_name}", ";"],
      ["list-panes", "-a", "-F", "p #{pane_id}"],
    );
    if (code === 0) return parseExisting(stdout);
    if (hasNoSession(stderr)) return { sessions: [], panes: new Set() };
    throw unavailable();
  }

  async create(args: readonly string[]): Promise<NewPane> {
    const { code, stdout, stderr } = await this.#run(args);
    const pane = code === 0 ? parseNewPane(stdout) : null;
    if (pane) return pane;
    if (/^duplicate session/.test(stderr)) throw new AppError("conflict", "the name is in use");
    if (/^can't find/.test(stderr)) throw new AppError("not_found", "the parent no longer exists");
    if (/no space for/.test(stderr))
      throw new AppError("conflict", "the pane is too small to split");
    throw new AppError("conflict", "the multiplexer refused to create it");
  }

  /** Null when the pane, or the whole server, is gone. */
  async look(id: string): Promise<PaneLook | null> {
    const { code, stdout } = await this.#run([
      "list-panes",
      "-a",
      "-f",
      `#{==:#{pane_id},${id}}`,
      "-F",
      "#{pane_pid} #{pane_dead} #{pane_current_path}",
    ]);
    const [, pid, dead, directory] = /^(\d+) (\d?) (.*)$/m.exec(stdout) ?? [];
    if (code !== 0 || pid === undefined) return null;
    return { pid, isDead: dead === "1", directory: directory ?? "" };
  }

  /** So that a shell stays visible, also after this service has been started again. */
  async markCreated({ id }: NewPane): Promise<void> {
    const { createdOption } = this.#deps;
    const { code } = await this.#run(["set-option", "-p", "-t", id, createdOption, "1"]);
    if (code !== 0) throw exitedEarly();
  }

  /** Removes a pane if it still is the one that was created: ids restart with the server. */
  async remove({ id, pid }: NewPane): Promise<void> {
    const isOurs = `#{==:#{pane_pid},${pid}}`;
    await this.#run(["if-shell", "-F", "-t", id, isOurs, `kill-pane -t ${id}`]);
  }

  async #run(...parts: readonly (readonly string[])[]) {
    try {
      const result = await run(this.#deps.muxCommand(parts.flat()), {
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_OUTPUT_BYTES,
        env: this.#deps.env,
      });
      return { ...result, stdout: new TextDecoder().decode(result.stdout) };
    } catch (cause) {
      if (cause instanceof RunError) throw unavailable({ cause });
      throw cause;
    }
  }
}

function parseExisting(output: string): Existing {
  const windows = new Map<string, Set<string>>();
  const names = new Map<string, string>();
  const panes = new Set<string>();
  for (const line of output.split("\n")) {
    const [, kind, id, name] = /^([swp]) ([$%]\d+) ?(.*)$/.exec(line) ?? [];
    if (id === undefined || name === undefined) continue;
    if (kind === "s") names.set(id, name);
    if (kind === "w") windows.set(id, (windows.get(id) ?? new Set()).add(name));
    if (kind === "p") panes.add(id);
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

// No server runs, or one that stays without sessions: the first session may be created.
function hasNoSession(stderr: string): boolean {
  return /^no server running|^no current target|^error connecting to .*\(No such file or directory\)/m.test(
    stderr,
  );
}

/** For a program that did not live long enough to be used. */
export function exitedEarly(): AppError {
  return new AppError("unavailable", "the pane exited before it became available");
}

function unavailable(options?: ErrorOptions): AppError {
  return new AppError("unavailable", "the multiplexer is unavailable", undefined, options);
}
