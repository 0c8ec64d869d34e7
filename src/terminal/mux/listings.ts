import type { RunResult } from "../../lib/run.ts";
import type { Namespace } from "../namespace.ts";
import type { ListedPane } from "../provider.ts";
import { LIGHT_PIECES, listLine } from "./commands.ts";
import {
  complaint,
  lightPieces,
  meansNoPanes,
  NO_PANES,
  type ParsedListing,
  type ParsedRow,
  parseListing,
} from "./parse.ts";
import type { CommandLine } from "./tmux.ts";

/** What can change without a trace in the light fields (a command, a path) is seen after so long. */
const WHOLE_EVERY_SECONDS = 5;

interface ListingsDeps {
  run(line: CommandLine, signal: AbortSignal): Promise<RunResult>;
  newMark(): string;
  /** Monotonic seconds. */
  now(): number;
  namespace: Namespace;
}

const decoder = new TextDecoder();

/**
 * Lists panes. While nothing moves only the fields that tell of it are asked for (commands and paths
 * cost tmux as much as all others together), and an answer that is the one before, but for its
 * mark, is not parsed again.
 */
export class Listings {
  readonly #deps: ListingsDeps;
  #last: ParsedListing = NO_PANES;
  /** The light part of it, as the next light answer would have it if nothing has moved. */
  #expected: readonly string[] = [];
  #isQuiet = false;
  #wholeAt = -Infinity;
  readonly #facts = new WeakMap<ListedPane, ParsedRow>();

  constructor(deps: ListingsDeps) {
    this.#deps = deps;
  }

  /** The last whole listing; equal ones are the same object. */
  get last(): ParsedListing {
    return this.#last;
  }

  factsOf(pane: ListedPane): ParsedRow | undefined {
    return this.#facts.get(pane);
  }

  /** @throws Error when tmux failed or what it said cannot be trusted. */
  async all(signal: AbortSignal): Promise<ParsedListing> {
    const now = this.#deps.now();
    const isRecent = now - this.#wholeAt < WHOLE_EVERY_SECONDS;
    if (this.#isQuiet && isRecent && (await this.#isAsBefore(signal))) return this.#last;
    const mark = this.#deps.newMark();
    const result = await this.#deps.run(listLine(mark, "whole"), signal);
    const listing = this.parse(result, mark);
    const expected = lightPieces(listing.rows);
    this.#isQuiet = isEqual(expected, this.#expected) && listing.epoch !== "";
    this.#expected = expected;
    this.#wholeAt = now;
    if (!isEqual([...listing.rows.keys()], [...this.#last.rows.keys()])) this.#last = listing;
    return this.#last;
  }

  async one(id: string, signal: AbortSignal): Promise<ListedPane | null> {
    const mark = this.#deps.newMark();
    const result = await this.#deps.run(
      listLine(mark, "whole", this.#deps.namespace.ownId(id)),
      signal,
    );
    return this.parse(result, mark).panes[0] ?? null;
  }

  parse({ code, stdout, stderr }: RunResult, mark: string): ParsedListing {
    if (code !== 0) {
      if (stdout.length === 0 && meansNoPanes(stderr)) return NO_PANES;
      throw new Error(`cannot list panes: ${complaint(stderr, code)}`);
    }
    const { now, namespace } = this.#deps;
    const listing = parseListing(decoder.decode(stdout), mark, this.#last, now(), namespace);
    for (const row of listing.rows.values()) this.#facts.set(row.pane, row);
    return listing;
  }

  // Whatever else it is (a failure, no server), the whole listing says what to make of it.
  async #isAsBefore(signal: AbortSignal): Promise<boolean> {
    const mark = this.#deps.newMark();
    const { code, stdout } = await this.#deps.run(listLine(mark, "light"), signal);
    if (code !== 0) return false;
    const pieces = decoder.decode(stdout).split(mark);
    const isWhole = pieces[0] === "" && pieces.at(-1) === "\n";
    return (
      isWhole && pieces.length % LIGHT_PIECES === 2 && isEqual(pieces.slice(1, -1), this.#expected)
    );
  }
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}
