import { batch, signal } from "@preact/signals";
import { isUncertain, type Pass, type Result } from "../../net/api.ts";
import { Kept, storedTexts } from "../../model/stored.ts";

const LABEL_LENGTH = 200;
/** Only what is claimed gets it. */
const PASS = {} as Pass; // Its member is for the types alone.

/** The right to send one thing to panes that nothing else holds. */
export interface Claim {
  readonly label: string;
  /** It leaves now: from here on a page that dies leaves a doubt. */
  leave(): Pass;
  /** It is known what became of it, at all of its panes or at these. */
  release(paneIds?: readonly string[]): void;
  /** It may have arrived. `inspected` runs once the terminal was looked at. */
  doubt(inspected?: () => void): void;
  /** As `doubt`, and nobody here waits to know: another claim of the same label may learn it. */
  abandon(): void;
  /** Leaves, and ends as its result says. */
  send<T>(call: (pass: Pass) => Promise<Result<T>>, inspected?: () => void): Promise<Result<T>>;
}

type Step = "under_way" | "doubted" | "abandoned";

/** What one claim has at one pane. */
interface Hold {
  readonly claim: Claim;
  readonly paneId: string;
  readonly step: Step;
  readonly inspected?: (() => void) | undefined;
}

export interface Doubt {
  readonly paneId: string;
  readonly label: string;
}

/**
 * Who may send to a pane. Every sender claims the panes first, and a pane has one claim at a time:
 * nothing goes there beside it. What may have arrived keeps the pane until its terminal was looked at,
 * or until it is known what became of it. It is kept outside the page too: one that is reloaded or
 * killed in between must not offer the same again as if nothing had been sent.
 */
export class PaneGate {
  readonly #stored: Kept<Readonly<Record<string, string>>>;
  readonly #holds = signal<readonly Hold[]>([]);

  constructor(storage: Storage) {
    this.#stored = new Kept(storage, "doubts", storedTexts);
  }

  /** Null while anything holds one of these panes. `label`: words for a doubt that outlives the page. */
  claim(paneIds: readonly string[], label: string): Claim | null {
    const isFree = !this.#holds.peek().some(({ paneId }) => paneIds.includes(paneId));
    return isFree ? this.#hold(paneIds, label) : null;
  }

  /** Holds a pane for what another page has sent there, beside whatever else holds it. */
  resume(paneId: string, label: string): Claim {
    return this.#hold([paneId], label);
  }

  /** Once, with the first state: what was on its way when the page was last left may have arrived. */
  recall(isListed: (paneId: string) => boolean): void {
    batch(() => {
      for (const [paneId, label] of Object.entries(this.stored()))
        if (isListed(paneId)) this.resume(paneId, label).abandon();
        else this.#forget([paneId]);
    });
  }

  /** Whether something is on its way to this pane, or may have arrived. */
  isHeld(paneId: string): boolean {
    return this.#holds.value.some((hold) => hold.paneId === paneId);
  }

  /** Whether its terminal has to be looked at before anything goes there again. */
  isDoubted(paneId: string): boolean {
    return this.doubts().some((doubt) => doubt.paneId === paneId);
  }

  doubts(): readonly Doubt[] {
    const doubted = this.#holds.value.filter(({ step }) => step !== "under_way");
    return doubted.map(({ paneId, claim: { label } }) => ({ paneId, label }));
  }

  /** The terminal of this pane was opened and a new snapshot has come. */
  inspected(paneId: string): void {
    const ended = this.#end((hold) => hold.paneId === paneId && hold.step !== "under_way");
    if (ended.length > 0) this.#forget([paneId]);
    batch(() => ended.forEach(({ inspected }) => inspected?.()));
  }

  clear(): void {
    this.#holds.value = [];
    this.#stored.set(null);
  }

  /** Labels by pane, as the browser keeps them. */
  stored(): Readonly<Record<string, string>> {
    return this.#stored.get();
  }

  #hold(paneIds: readonly string[], full: string): Claim {
    const label = full.slice(0, LABEL_LENGTH);
    const claim: Claim = {
      label,
      leave: () => {
        this.#store({ ...this.stored(), ...Object.fromEntries(paneIds.map((id) => [id, label])) });
        return PASS;
      },
      release: (ids = paneIds) => {
        const isIts = (hold: Hold) =>
          hold.claim === claim || (hold.step === "abandoned" && hold.claim.label === label);
        this.#end((hold) => ids.includes(hold.paneId) && isIts(hold));
        const stored = this.stored();
        const others = this.doubts().filter((doubt) => doubt.label === label);
        const isOther = (id: string) => others.some(({ paneId }) => paneId === id);
        this.#forget(ids.filter((id) => stored[id] === label && !isOther(id)));
      },
      doubt: (inspected) => this.#change(claim, { step: "doubted", inspected }),
      abandon: () => this.#change(claim, { step: "abandoned" }),
      send: async (call, inspected) => {
        const result = await call(claim.leave()).catch((fault: unknown) => {
          // How far it came is not known.
          claim.doubt(inspected);
          throw fault;
        });
        if (result.ok || !isUncertain(result.failure)) claim.release();
        else claim.doubt(inspected);
        return result;
      },
    };
    const holds = paneIds.map((paneId): Hold => ({ claim, paneId, step: "under_way" }));
    this.#holds.value = [...this.#holds.peek(), ...holds];
    return claim;
  }

  #change(claim: Claim, change: Pick<Hold, "step" | "inspected">): void {
    this.#holds.value = this.#holds
      .peek()
      .map((hold) => (hold.claim === claim ? { ...hold, ...change } : hold));
  }

  #end(isOver: (hold: Hold) => boolean): readonly Hold[] {
    const holds = this.#holds.peek();
    this.#holds.value = holds.filter((hold) => !isOver(hold));
    return holds.filter(isOver);
  }

  #forget(paneIds: readonly string[]): void {
    const others = Object.entries(this.stored()).filter(([id]) => !paneIds.includes(id));
    this.#store(Object.fromEntries(others));
  }

  #store(labels: Readonly<Record<string, string>>): void {
    this.#stored.set(Object.keys(labels).length === 0 ? null : labels);
  }
}
