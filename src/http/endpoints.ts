import type { Slice } from "../slice.ts";

export interface Endpoint {
  /** As its slice declares it: `/api/agents/:id`. */
  path: string;
  method: string;
}

/** Every path of every slice with its methods; a handler behind validators counts once. */
export function endpointsOf(slices: readonly Slice[]): Endpoint[] {
  return slices.flatMap(({ routes, openRoutes }) =>
    [routes, openRoutes].flatMap((each) => {
      const declared = (each?.routes ?? []).filter(({ method }) => method !== "ALL");
      const keys = new Set(declared.map(({ method, path }) => `${method} ${path}`));
      return [...keys].map((key) => {
        const [method = "", path = ""] = key.split(" ");
        return { method, path };
      });
    }),
  );
}

/** @throws Error when two slices declare one path with one method: Hono would hide the second. */
export function requireDeclaredOnce(slices: readonly Slice[]): void {
  const seen = new Set<string>();
  for (const { method, path } of endpointsOf(slices)) {
    const key = `${method} ${path}`;
    if (seen.has(key)) throw new Error(`${key} is declared by two slices`);
    seen.add(key);
  }
}
