import type { Clock } from "../lib/clock.ts";
import type { NamingMode } from "../protocol/config.ts";
import type { PaneKind } from "../protocol/pane.ts";
import { prefixed, smartName, wantsArguments, type SmartFacts } from "./heuristics.ts";
import { resolveName, type NamedPane } from "./resolve.ts";

export interface NamedLook {
  kind: PaneKind;
  lines: readonly string[];
}

type Arguments = readonly (readonly string[])[];
type ReadArguments = () => Promise<Arguments>;

export interface NamerDeps {
  mode: () => NamingMode;
  prefixes: Readonly<Record<string, string>>;
  maxChars: number;
  home: string;
  hostname: string;
  clock: Clock;
  /** Names from a model; null when that is switched off. */
  ai: AiNames | null;
}

/** Names from a model: `nameOf` gives the cached one, or queues the pane and gives null. */
export interface AiNames {
  nameOf(pane: NamedPane, look: NamedLook): string | null;
  start(): void;
  stop(): Promise<void>;
}

interface Entry {
  key: string;
  name: string;
  command: string;
  processes: Arguments;
  readAt: number;
}

const MAX_ENTRIES = 2000;
/** ssh to another host looks the same in the listing: read the arguments again after this time. */
const FRESH_SECONDS = 3;

/**
 * The display name of each pane. `nameOf` never waits: arguments are read in the background, and the
 * next pass has them.
 */
export class Namer {
  readonly #deps: NamerDeps;
  /** By identity, the oldest entry first. */
  readonly #entries = new Map<string, Entry>();

  constructor(deps: NamerDeps) {
    this.#deps = deps;
  }

  nameOf(pane: NamedPane, look: NamedLook, processes: ReadArguments): string {
    return resolveName(this.#deps.mode(), pane, () => this.#smart(pane, look, processes));
  }

  start(): void {
    this.#deps.ai?.start();
  }

  async stop(): Promise<void> {
    await this.#deps.ai?.stop();
  }

  #smart(pane: NamedPane, look: NamedLook, processes: ReadArguments): string {
    const named = this.#deps.ai?.nameOf(pane, look);
    if (named) return prefixed(this.#facts(pane, look.kind, []), named);
    const entry = this.#entryOf(pane);
    if (wantsArguments(pane.command)) this.#refresh(entry, processes);
    const key = [pane.command, pane.title, pane.cwd, look.kind].join("\0");
    if (entry.key !== key) {
      entry.key = key;
      entry.name = smartName(this.#facts(pane, look.kind, entry.processes));
    }
    return entry.name;
  }

  #entryOf(pane: NamedPane): Entry {
    const { command, identity } = pane;
    const known = this.#entries.get(identity);
    // The arguments of the program before say nothing of this one.
    if (known?.command === command) return known;
    const entry = { key: "", name: "", command, processes: [], readAt: -Infinity };
    this.#entries.delete(identity);
    this.#entries.set(identity, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }

  #refresh(entry: Entry, processes: ReadArguments): void {
    const now = this.#deps.clock.monotonic();
    if (now - entry.readAt < FRESH_SECONDS) return;
    entry.readAt = now;
    processes().then(
      (read) => {
        if (JSON.stringify(read) === JSON.stringify(entry.processes)) return;
        entry.processes = read;
        entry.key = "";
      },
      // Arguments only refine a name: a process that cannot be read leaves it as it is.
      () => undefined,
    );
  }

  #facts({ title, command, cwd }: NamedPane, kind: PaneKind, processes: Arguments): SmartFacts {
    const { prefixes, maxChars, home, hostname } = this.#deps;
    return { kind, title, command, cwd, processes, home, hostname, prefixes, maxChars };
  }
}
