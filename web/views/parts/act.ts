import { useState } from "preact/hooks";
import type { Failure, Result } from "../../net/api.ts";
import { reasonOf } from "../../net/api.ts";

export interface Act {
  readonly isBusy: boolean;
  /** Why it was not done, for a person; empty when it was. */
  readonly fault: string;
  /** Asks the server once: while an answer is awaited, nothing. Null then. */
  readonly run: <T>(ask: () => Promise<Result<T>>) => Promise<Result<T> | null>;
  readonly forget: () => void;
}

/** Something that a button has the server do: on its way, done, refused with its words, or lost. */
export function useAct(notDone = "Not done"): Act {
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  async function run<T>(ask: () => Promise<Result<T>>): Promise<Result<T> | null> {
    if (isBusy) return null;
    setBusy(true);
    setFault("");
    const result = await ask();
    setBusy(false);
    if (result.ok) return result;
    setFault(faultOf(notDone, result.failure));
    return result;
  }
  return { isBusy, fault, run, forget: () => setFault("") };
}

function faultOf(notDone: string, failure: Failure): string {
  if (failure.kind === "lost") return `${notDone}: the server did not answer.`;
  const reason = reasonOf(failure);
  return reason === "" ? `${notDone}.` : `${notDone}: ${reason}`;
}
