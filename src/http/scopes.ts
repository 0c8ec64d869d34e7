import { AppError } from "../errors.ts";
import { ENDPOINT_LIST } from "../protocol/endpoints.ts";
import { allows, type Scope } from "../protocol/scope.ts";
import type { Grant } from "../slice.ts";

const RULES = ENDPOINT_LIST.map(({ method, path, scope }) => {
  return { method, scope, pattern: new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`) };
});

/** @throws AppError forbidden, with what is missing */
export function requireScope({ scope, name }: Grant, method: string, path: string): void {
  const asked = method === "HEAD" ? "GET" : method;
  const rule = RULES.find((one) => one.method === asked && one.pattern.test(path));
  // A path that nobody knows is nobody's but the owner's.
  const needed = rule?.scope ?? (asked === "GET" ? "look" : "own");
  if (!allows(scope, needed)) throw outOfScope({ scope, name }, needed);
}

export function outOfScope(
  { scope, name }: Pick<Grant, "scope" | "name">,
  needed: Scope,
): AppError {
  return new AppError("forbidden", `${name} may ${MAY[scope]}: this needs ${needed}`);
}

const MAY: Readonly<Record<Scope, string>> = {
  look: "look and not act",
  answer: "look and answer prompts",
  type: "type into panes, and not change what is set up",
  own: "do everything",
};
