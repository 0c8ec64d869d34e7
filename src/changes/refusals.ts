import { AppError } from "../errors.ts";

export function noGit(): AppError {
  const message = "the folder of this pane is in no git work tree";
  return new AppError("conflict", message, { reason: "no_git", message });
}

export function elsewhere(): AppError {
  const message = "this pane is on another machine: what changed there is not known here";
  return new AppError("conflict", message, { reason: "other_machine", message });
}

export function noBase(): AppError {
  const message = "there is no main branch that this one has left";
  return new AppError("conflict", message, { reason: "no_base", message });
}

export function notChanged(): AppError {
  return new AppError("not_found", "this file has not changed, or is not there");
}
