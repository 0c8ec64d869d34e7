import type { AppOptions } from "./app-options.ts";
import { createAccess, type Access } from "./access.ts";
import { httpApp } from "./http/app.ts";
import { type HttpServer, LanServers, startServer } from "./http/server.ts";
import { PeerUsers } from "./http/peer-user.ts";
import { readAssets } from "./http/static.ts";
import { socketFor } from "./http/upgrade.ts";
import { urlHost } from "./lib/loopback.ts";
import { interfaceAddresses } from "./pairing/links.ts";
import type { Slice } from "./slice.ts";
import { Slices } from "./slices.ts";
import { createSlices } from "./parts.ts";
import { createWatching, type Watching } from "./watching.ts";

export interface Listening {
  url: string;
  /** With the port that was taken. */
  address: { host: string; port: number };
}

export interface App {
  readonly slices: readonly Slice[];
  /** Opens the port after the first pass; `url` has the port that was taken. */
  start(): Promise<Listening>;
  stop(): Promise<void>;
}

/**
 * Creates every object of the service and connects them: the watching side (`watching.ts`), access
 * (`access.ts`) and the slices (`parts.ts`). These files hold no logic.
 */
export async function createApp(options: AppOptions): Promise<App> {
  const watching = await createWatching(options);
  const { machines, namer, matcher, queue } = watching;
  // The first pass runs while the parts are made, and is published once they listen.
  const heard = Promise.withResolvers<void>();
  machines.start(heard.promise);
  const { slices, server } = await createOutside(options, watching).catch(
    async (error: unknown) => {
      await machines.stop();
      throw error;
    },
  );
  const parts = new Slices({ slices, log: options.log });

  const unsubscribe = options.settings.subscribe(() => {
    machines.wake();
    void machines.settingsChanged();
    parts.settingsChanged();
  });
  return {
    slices,
    async start() {
      namer.start();
      parts.start();
      heard.resolve();
      await machines.local.poller.firstPass;
      return server.listen();
    },
    async stop() {
      unsubscribe();
      await queue.stop();
      await server.stop();
      await machines.stop();
      await Promise.all([namer.stop(), parts.stop()]);
      await matcher.stop();
    },
  };
}

/** Access checks, slices, and the server over them. */
async function createOutside(options: AppOptions, watching: Watching) {
  const access = createAccess(options, watching.ledger);
  const slices = await createSlices(options, watching, access);
  const server = await createServer(options, access, slices);
  return { slices, server };
}

/** HTTP, sockets and the web client; the port is opened later. */
async function createServer(options: AppOptions, access: Access, slices: readonly Slice[]) {
  const { credentials, clock, log } = options;
  const peerUsers = new PeerUsers({ clock });
  const { tokens, admitted, origins, address } = access;
  const assets = await readAssets(options.assets);
  const app = httpApp({ origins, tokens, assets, slices, log });
  const sockets = slices.flatMap((slice) => slice.sockets ?? []);
  const start = (host: string) =>
    startServer({
      ...{ host, port: address.port, log },
      isOtherUser: (peer, ownPort) => peerUsers.isOther(peer, ownPort),
      fetch: (request, facts) => app.fetch(request, facts),
      socketFor: (request, facts) =>
        socketFor(request, facts, { origins, tokens, admitted, sockets, log }),
    });
  const lan = new LanServers({
    bound: () => address,
    addresses: () => credentials.addresses,
    interfaces: interfaceAddresses,
    ...{ start, log },
  });
  let server: HttpServer | null = null;
  return {
    listen(): Listening {
      server = start(address.host);
      address.port = server.port;
      credentials.subscribe(() => lan.follow());
      lan.follow();
      return { url: `http://${urlHost(address.host)}:${server.port}`, address };
    },
    async stop() {
      await Promise.all([server?.stop(), lan.stop()]);
    },
  };
}
