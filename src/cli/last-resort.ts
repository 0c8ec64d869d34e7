import type { Log } from "../lib/log.ts";

/**
 * Settles at the first error or rejection that nobody caught. What it has left half done is not
 * known: the service stops, rather than go on without one of its parts.
 */
export function firstFault(log: Log): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onFault = (fault: unknown) => {
    log.error("a fault that nobody caught; the service stops", fault);
    resolve();
  };
  // Whoever read what it says has gone, a closed terminal: nobody is left to tell, and it goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
  return promise;
}
