import type { Prompt } from "../detect/finding.ts";
import { AppError } from "../errors.ts";
import { Semaphore } from "../lib/lock.ts";
import { describeValue } from "../lib/words.ts";
import { machineNumberOf } from "./namespace.ts";
import type { PaneRecord } from "./record.ts";

/** One pane, listed, captured and interpreted, but neither recorded nor published. */
export interface PaneReading
  extends
    Pick<PaneRecord, "pane" | "state" | "composer" | "screen" | "finding" | "isUnsettled">,
    Partial<Pick<PaneRecord, "terminal">> {
  /** The prompt on this screen: none while an overlay hides it. */
  prompt: Prompt | null;
  /** Seconds for which the line that decides the status has stood there. */
  lineAge: number;
  /** Only of a reading by the last pass: the text captured then, compared again before anything is sent. */
  passText?: string;
}

export interface ReadingSource {
  hub: { resolve(idOrTarget: string): { id: string } | null };
  /** Null when the pane is gone. @throws Error when the multiplexer fails */
  read(id: string): Promise<PaneReading | null>;
}

/** Each is a process of the multiplexer, which whoever may look can ask for. */
const READS_AT_ONCE = 4;

/** For requests alone, of each machine: answers, passes and other machines do not wait for them. */
export function readsInTurn(read: ReadingSource["read"]): ReadingSource["read"] {
  const machines = new Map<number, Semaphore>();
  return (id) => {
    const machine = machineNumberOf(id);
    const turns = machines.get(machine) ?? new Semaphore(READS_AT_ONCE);
    machines.set(machine, turns);
    return turns.run(() => read(id));
  };
}

/** @throws AppError `not_found` when no such pane is live, `unavailable` when it cannot be read */
export async function requireReading(
  source: ReadingSource,
  idOrTarget: string,
): Promise<PaneReading> {
  const pane = source.hub.resolve(idOrTarget);
  const found = pane && (await source.read(pane.id).catch(unavailable));
  if (!found) throw noSuchPane(idOrTarget);
  return found;
}

export function noSuchPane(idOrTarget: string): AppError {
  const reason = "unknown_pane";
  return new AppError("not_found", `no pane ${describeValue(idOrTarget)}`, {
    reason,
    code: reason,
  });
}

function unavailable(cause: unknown): never {
  throw new AppError("unavailable", "the multiplexer does not answer", undefined, { cause });
}
