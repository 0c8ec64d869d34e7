import { AppError } from "../errors.ts";
import type { Reading } from "./reading.ts";

export interface ReadingSource {
  hub: { resolve(idOrTarget: string): { id: string } | null };
  /** One pane as it is now; null when it is gone. Throws when the multiplexer fails. */
  read(id: string): Promise<Reading | null>;
}

/** @throws AppError `not_found` when no such pane is live, `unavailable` when it cannot be read */
export async function requireReading(source: ReadingSource, idOrTarget: string): Promise<Reading> {
  const pane = source.hub.resolve(idOrTarget);
  const found = pane && (await source.read(pane.id).catch(unavailable));
  if (!found) throw unknownPane(idOrTarget);
  return found;
}

export function unknownPane(idOrTarget: string): AppError {
  return new AppError("not_found", `no pane ${idOrTarget}`, { reason: "unknown_pane" });
}

function unavailable(cause: unknown): never {
  throw new AppError("unavailable", "the multiplexer does not answer", undefined, { cause });
}
