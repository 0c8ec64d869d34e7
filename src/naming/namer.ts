import type { Clock } from "../lib/clock.ts";
import type { NamingMode } from "../protocol/config.ts";
import type { AiNamer } from "./ai.ts";
import {
  type NamingFacts,
  type NamedPane,
  withProgram,
  smartName,
  type SmartFacts,
  wantsArguments,
  withoutSpinner,
} from "./heuristics.ts";

type Arguments = SmartFacts["processes"];
type ReadProcesses = () => Promise<readonly { readonly args: Arguments[number] }[]>;

export interface NamerDeps extends Pick<SmartFacts, "prefixes" | "maxChars" | "home" | "hostname"> {
  mode: () => NamingMode;
  clock: Clock;
  /** Null when it is switched off. */
  ai: Pick<AiNamer, "nameOf"> | null;
}

interface Entry {
  key: string;
  name: string;
  command: string;
  processes: Arguments;
  /** Monotonic seconds of the last look at the arguments. */
  readAt: number;
}

const MAX_ENTRIES = 2000;
/** After this the arguments are read again: in the listing ssh to another host looks the same. */
const FRESH_SECONDS = 3;

/** `nameOf` never waits: arguments are read in the background, for the next pass. */
export class Namer {
  readonly #deps: NamerDeps;
  /** By identity, the oldest entry first. */
  readonly #entries = new Map<string, Entry>();

  constructor(deps: NamerDeps) {
    this.#deps = deps;
  }

  nameOf(pane: NamedPane, look: NamingFacts, processes: ReadProcesses): string {
    const mode = this.#deps.mode();
    const name = mode === "smart" ? this.#smart(pane, look, processes) : NAMES[mode](pane);
    return name.trim() || pane.target;
  }

  #smart(pane: NamedPane, look: NamingFacts, processes: ReadProcesses): string {
    const named = this.#deps.ai?.nameOf(pane, look);
    if (named) return withProgram(this.#facts(pane, look, []), named);
    const entry = this.#entryOf(pane);
    if (wantsArguments(pane.command)) this.#refresh(entry, processes);
    const key = [pane.command, pane.title, pane.cwd, look.kind].join("\0");
    if (entry.key !== key) {
      entry.key = key;
      entry.name = smartName(this.#facts(pane, look, entry.processes));
    }
    return entry.name;
  }

  #entryOf(pane: NamedPane): Entry {
    const { command, identity } = pane;
    const known = this.#entries.get(identity);
    // The arguments of another program do not count.
    if (known?.command === command) return known;
    const entry = { key: "", name: "", command, processes: [], readAt: -Infinity };
    this.#entries.delete(identity);
    this.#entries.set(identity, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
    return entry;
  }

  #refresh(entry: Entry, processes: ReadProcesses): void {
    const now = this.#deps.clock.monotonic();
    if (now - entry.readAt < FRESH_SECONDS) return;
    entry.readAt = now;
    processes().then(
      (found) => {
        const read = found.map(({ args }) => args);
        if (JSON.stringify(read) === JSON.stringify(entry.processes)) return;
        entry.processes = read;
        entry.key = "";
      },
      // Arguments only refine a name: it stays when they cannot be read.
      () => undefined,
    );
  }

  #facts(pane: NamedPane, { kind }: NamingFacts, processes: Arguments): SmartFacts {
    return { ...this.#deps, ...pane, kind, processes };
  }
}

const NAMES: Readonly<Record<Exclude<NamingMode, "smart">, (pane: NamedPane) => string>> = {
  pane: ({ names }) => joinParts(names.paneIndex),
  window_pane: ({ names }) => joinParts(names.windowIndex, names.paneIndex),
  session_pane: ({ names }) => joinParts(names.session, names.paneIndex),
  session_window_pane: ({ names }) => joinParts(names.session, names.windowIndex, names.paneIndex),
  title: ({ title }) => withoutSpinner(title),
  window: ({ window }) => withoutSpinner(window),
  target: ({ target }) => target,
  command: ({ command }) => command,
};

// With a part missing, a name would read like "work::3": no name is better.
function joinParts(...parts: string[]): string {
  return parts.some((part) => part.trim() === "") ? "" : parts.join(":");
}
