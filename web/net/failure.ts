import { isUncertain, reasonOf, type Failure } from "./api.ts";

/** The sentence that comes with the failure, else its reason. */
export function sentenceOf(failure: Failure): string {
  const { message } = failure.kind === "refused" ? Object(failure.detail) : {};
  return typeof message === "string" ? message : reasonOf(failure);
}

/** What a failed call means for the person. */
export type FailureStep =
  { readonly step: "refused"; readonly reason: string } | { readonly step: "uncertain" };

export const failureStep = (failure: Failure): FailureStep =>
  isUncertain(failure) ? { step: "uncertain" } : { step: "refused", reason: sentenceOf(failure) };
