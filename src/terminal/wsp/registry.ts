import { randomBytes } from "node:crypto";
import { sha256 } from "../../lib/digest.ts";
import type { PaneFate } from "../provider.ts";
import { routeKey, type Route } from "./snapshot.ts";

/** How many handles of panes that are gone are still known, so that an answer to one can say why. */
const REMEMBERED = 1024;

export interface Handle {
  id: string;
  target: string;
}

/**
 * Gives each route a handle that says nothing, and keeps it for as long as the route exists. The
 * tool's own ids are not unique between sessions, and old ones go on to work after a move.
 */
export class Registry {
  readonly #scope: string;
  #handles = new Map<string, Handle & { route: Route }>();
  #byId = new Map<string, Handle & { route: Route }>();
  /** Former handles, oldest first, with the terminal behind them. */
  readonly #former = new Map<string, string>();

  /** `scope` sets the targets of this service and session apart from every other's. */
  constructor(scope: string) {
    this.#scope = scope;
  }

  /** The handles of these routes, in their order; every other one is former from now on. */
  assign(routes: readonly Route[]): Handle[] {
    const next = new Map<string, Handle & { route: Route }>();
    const handles = routes.map((route) => {
      const key = routeKey(route);
      const handle = this.#handles.get(key) ?? {
        id: `h:${randomBytes(18).toString("base64url")}`,
        target: `wsp:${this.#digest(key)}`,
        route,
      };
      next.set(key, handle);
      return handle;
    });
    for (const [key, { id, route }] of this.#handles) if (!next.has(key)) this.#retire(id, route);
    this.#handles = next;
    this.#byId = new Map(handles.map((handle) => [handle.id, handle]));
    return handles;
  }

  routeOf(id: string): Route | null {
    return this.#byId.get(id)?.route ?? null;
  }

  /** Null for a handle that is in use, or was never given out. */
  fateOf(id: string): PaneFate | null {
    const terminal = this.#former.get(id);
    if (terminal === undefined) return null;
    const lives = [...this.#handles.values()].some(({ route }) => route.terminal === terminal);
    return lives ? "moved" : "gone";
  }

  #retire(id: string, route: Route): void {
    this.#former.set(id, route.terminal);
    for (const oldest of this.#former.keys()) {
      if (this.#former.size <= REMEMBERED) break;
      this.#former.delete(oldest);
    }
  }

  #digest(key: string): string {
    return sha256(`${this.#scope}\0${key}`).toString("base64url").slice(0, 32);
  }
}
