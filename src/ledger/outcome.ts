import { AppError, detailOf, type ErrorKind } from "../errors.ts";

/** What a request came to, as it is kept: of a refusal what the log is told, which quotes nobody. */
type Outcome =
  | { value: unknown }
  | { refused: { kind: ErrorKind; message: string; reason?: string; code?: string } | null };

export const valueText = (value: unknown = null): string => JSON.stringify({ value });

export function refusalText(error: unknown): string {
  if (!(error instanceof AppError)) return JSON.stringify({ refused: null });
  const { kind, message } = error;
  const code = memberOf(error, "code");
  const reason = memberOf(error, "reason");
  return JSON.stringify({
    refused: { kind, message, ...(code ? { code, reason: reason === code ? code : message } : {}) },
  } satisfies Outcome);
}

/** @throws what the first request was refused with */
export function again(text: string | null): unknown {
  if (text === null) throw mayHaveArrived();
  // Written by this file alone, in this very shape.
  const outcome = JSON.parse(text) as Outcome;
  if ("value" in outcome) return outcome.value;
  if (outcome.refused === null) throw new Error("the first request under this key failed");
  const { kind, message, ...detail } = outcome.refused;
  throw new AppError(kind, message, "code" in detail ? { ...detail, message } : message);
}

/** The code of a refusal, else its sentence. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return (error instanceof AppError ? memberOf(error, "code") : null) ?? error.message;
}

function mayHaveArrived(): AppError {
  const code = "delivery_unknown";
  const message = "The service ended while this was sent. Look at the terminal first.";
  return new AppError("conflict", "it may have arrived before a restart", {
    ...{ reason: code, code, message },
  });
}

function memberOf(error: AppError, name: "code" | "reason"): string | null {
  const value = detailOf(error)[name];
  return typeof value === "string" ? value : null;
}
