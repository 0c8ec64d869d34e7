import { isUncertain, reasonOf, type Failure } from "./api.ts";

/** Why, for a person: in the sentence that comes with the reason, else by the reason. */
export function sentenceOf(failure: Failure): string {
  const { message } = failure.kind === "refused" ? Object(failure.detail) : {};
  return typeof message === "string" ? message : reasonOf(failure);
}

/** How something that was asked for once was not taken. */
export type FailureStep =
  /** Nothing was done. */
  | { readonly step: "refused"; readonly reason: string }
  /** It may have been done. */
  | { readonly step: "uncertain" };

export const failureStep = (failure: Failure): FailureStep =>
  isUncertain(failure) ? { step: "uncertain" } : { step: "refused", reason: sentenceOf(failure) };
