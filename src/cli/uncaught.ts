import type { Log } from "../lib/log.ts";

/**
 * Resolves at the first uncaught error or rejection. What that has left half done is not known: the
 * service stops, rather than go on without one of its parts.
 */
export function firstUncaught(log: Log): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onFault = (fault: unknown) => {
    log.error("a fault that nobody caught; the service stops", fault);
    resolve();
  };
  // The reader of the output has gone, such as a closed terminal: the service goes on without it.
  process.stdout.removeAllListeners("error").on("error", () => undefined);
  process.on("uncaughtException", onFault);
  process.on("unhandledRejection", onFault);
  return promise;
}
