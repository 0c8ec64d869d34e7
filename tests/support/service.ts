import { Connections } from "../../src/connections/registry.ts";
import { httpApp } from "../../src/http/app.ts";
import { TokenCheck } from "../../src/http/auth.ts";
import { socketFor } from "../../src/http/door.ts";
import type { Snapshot } from "../../src/http/pane-feed.ts";
import { PaneSockets } from "../../src/http/pane-sockets.ts";
import { startServer } from "../../src/http/server.ts";
import { type Assets, assetsOf } from "../../src/http/static.ts";
import { createLog } from "../../src/lib/log.ts";
import type { Styles } from "../../src/protocol/delta.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { StateEncoder } from "../../src/terminal/encode.ts";
import { LineAges } from "../../src/terminal/line-ages.ts";
import type { TerminalRoutesDeps } from "../../src/terminal/routes.ts";
import { FakeClock } from "./clock.ts";

/** A hub whose passes are the test's. */
export class FakeHub {
  current: Snapshot = { sequence: 0, panes: [], styles: new Map() };
  readonly #listeners = new Set<(snapshot: Snapshot) => void>();

  subscribe(listener: (snapshot: Snapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(panes: readonly PaneState[], styles: Styles = new Map()): void {
    this.current = { sequence: this.current.sequence + 1, panes, styles };
    for (const listener of this.#listeners) listener(this.current);
  }
}

export interface ServiceOptions {
  token?: string;
  bindHost?: string;
  publicUrls?: string[];
  assets?: Assets;
  terminal?: Partial<TerminalRoutesDeps>;
}

/** The HTTP shell with everything behind it faked; `log` collects what it says. */
export function service(options: ServiceOptions = {}) {
  const { token = "", bindHost = "127.0.0.1", publicUrls = [], assets = assetsOf([]) } = options;
  const clock = new FakeClock();
  const log: string[] = [];
  const hub = new FakeHub();
  const encoder = new StateEncoder();
  const connections = new Connections({ clock });
  const shared = {
    log: createLog((line) => log.push(line)),
    tokens: new TokenCheck({ token, clock }),
    origins: { bindHost, publicUrls, tokenRequired: token !== "" },
  };
  const paneSockets = new PaneSockets({ hub, encoder, connections, clock });
  const app = httpApp({
    ...shared,
    assets,
    connections: { connections },
    terminal: {
      hub,
      encoder,
      clock,
      lineAges: new LineAges(),
      inspect: async () => null,
      star: async () => {},
      ...options.terminal,
    },
  });
  return {
    clock,
    log,
    hub,
    connections,
    paneSockets,
    /** In process; `peer` is the address that it seems to come from. */
    request: async (path: string, init: RequestInit = {}, peer = "127.0.0.1") =>
      app.request(path, init, { peer }),
    /** A real server on a free port. */
    listen: () =>
      startServer({
        host: bindHost,
        port: 0,
        fetch: (request, facts) => app.fetch(request, facts),
        socketFor: (request, peer) => socketFor(request, peer, { ...shared, paneSockets }),
      }),
  };
}
