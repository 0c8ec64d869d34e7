import type { Composer, Finding, Prompt } from "../detect/finding.ts";
import type { Screen } from "../detect/region.ts";
import { AppError } from "../errors.ts";
import { shown } from "../lib/words.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ListedPane } from "./provider.ts";

/** One pane as it is at this moment: listed, captured and interpreted, but neither remembered nor published. */
export interface PaneReading {
  pane: ListedPane;
  state: PaneState;
  /** What stands there now, under an overlay nothing. */
  prompt: Prompt | null;
  /** The agent's input line, where one takes what is typed now. */
  composer: Composer | null;
  screen: Screen;
  finding: Finding;
  isUnsettled: boolean;
  /** Seconds since when the line that decided has done so. */
  lineAge: number;
  /** Of a pass, not of this moment: what was captured then, to be compared before anything is sent. */
  passText?: string;
}

export interface ReadingSource {
  hub: { resolve(idOrTarget: string): { id: string } | null };
  /** Null when it is gone. @throws Error when the multiplexer fails */
  read(id: string): Promise<PaneReading | null>;
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
  return new AppError("not_found", `no pane ${shown(idOrTarget)}`, { reason, code: reason });
}

function unavailable(cause: unknown): never {
  throw new AppError("unavailable", "the multiplexer does not answer", undefined, { cause });
}
