import { becomes } from "./becomes.ts";
import type { FixtureServer } from "./fixture-server.ts";

/**
 * Until the page has asked twice: what it reads before the agents' socket has spoken it reads once
 * more. From then on it learns of a change by events alone.
 */
export async function readAgain(server: FixtureServer, path: string): Promise<void> {
  await becomes(
    () => server.requests.filter((one) => one.method === "GET" && one.path === path).length >= 2,
    true,
  );
}
