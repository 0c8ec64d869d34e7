import type { Context } from "hono";
import { ENDPOINT_LIST } from "../../src/protocol/endpoints.ts";
import type { Handlers, Slice } from "../../src/slice.ts";

type Handler = (c: Context) => unknown;

/**
 * Every endpoint, also of parts that do not run. `reply` is asked after the checks of the endpoint's
 * row and before its handler; null leaves the reply to the handler.
 */
export function behind(
  slices: readonly Slice[],
  reply: (c: Context) => Promise<Response | null>,
): readonly Slice[] {
  const before = (handlers: readonly [string, Handler][]): Handlers =>
    Object.fromEntries(
      handlers.map(([name, handler]) => [
        name,
        async (c: Context) => (await reply(c)) ?? handler(c),
      ]),
    );
  // The compiler does not know that each name keeps its own handler.
  const of = ({ routes = {} }: Slice) => Object.entries(routes) as [string, Handler][];
  const running = new Set(slices.flatMap((slice) => of(slice).map(([name]) => name)));
  const missing: Handler = (c) => c.json({ detail: "not found" }, 404);
  const others = ENDPOINT_LIST.map(({ method, path }) => `${method} ${path}`);
  const rest = others.filter((name) => !running.has(name));
  return [
    ...slices.map((slice) => ({ ...slice, routes: before(of(slice)) })),
    { name: "of a test alone", routes: before(rest.map((name) => [name, missing])) },
  ];
}
