import { createServer } from "node:net";

/** Why nothing can listen there now, as the system's code such as `EADDRINUSE`; null where it can. */
export function listenFailure(host: string, port: number): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const server = createServer();
  server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  server.listen(port, host, () => server.close(() => resolve(null)));
  return promise;
}

const MOST_TRIED = 50;

/** `first`, or the next port that no other program has; `first` again where none of many is free. */
export async function nextFreePort(host: string, first: number): Promise<number> {
  for (let port = first; port < first + MOST_TRIED; port++)
    if ((await listenFailure(host, port)) !== "EADDRINUSE") return port;
  return first;
}
