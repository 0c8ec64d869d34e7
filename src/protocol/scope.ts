/** What a grant allows; each scope includes those before it. */
export const SCOPES = ["look", "answer", "type", "own"] as const;
export type Scope = (typeof SCOPES)[number];

export function allows(scope: Scope, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}
