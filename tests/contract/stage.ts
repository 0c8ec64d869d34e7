import { writeFile } from "node:fs/promises";
import { AppError } from "../../src/errors.ts";
import { createLog } from "../../src/lib/log.ts";
import { RemoteProcesses, RemoteTmux } from "../../src/terminal/mux/remote.ts";
import { openMux } from "../support/mux.ts";
import { MuxProvider } from "../../src/terminal/mux/provider.ts";
import { Namespace } from "../../src/terminal/namespace.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { openRemoteLink } from "../support/remote-link.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { wspStage } from "../support/wsp/provider.ts";
import type { Pane } from "../support/wsp/world.ts";

export interface PaneOptions {
  session?: string;
  window?: string;
  title?: string;
}

/** A provider, and what a test does to its multiplexer. */
export interface Stage {
  provider: TerminalProvider;
  /** The listing reads the screens too, so a capture is as old as the listing. */
  readsWithListing?: boolean;
  /** Opens a pane that prints nothing by itself; gives its id. */
  open(options?: PaneOptions): Promise<string>;
  print(id: string, text: string): Promise<void>;
  close(id: string): Promise<void>;
  /** Starts another process in the same pane. */
  respawn(id: string): Promise<void>;
  stopServer(): Promise<void>;
  end(): Promise<void>;
}

export async function fakeStage(): Promise<Stage> {
  const provider = new FakeProvider();
  return {
    provider,
    open: async ({ session, window, title } = {}) =>
      provider.open({
        ...(session === undefined ? {} : { session }),
        ...(window === undefined ? {} : { window }),
        ...(title === undefined ? {} : { title }),
      }).id,
    print: async (id, text) => provider.print(id, text),
    close: async (id) => provider.close(id),
    respawn: async (id) => provider.respawn(id),
    stopServer: async () => provider.stopServer(),
    end: async () => {},
  };
}

export async function wspStandInStage(): Promise<Stage> {
  const stage = await wspStage({ runsExecutable: true });
  const { provider, world } = stage;
  const panes = new Map<string, Pane>();
  const { signal } = new AbortController();
  const find = (id: string) => {
    const pane = panes.get(id);
    if (!pane) throw new Error(`no pane ${id}`);
    return pane;
  };
  return {
    provider,
    readsWithListing: true,
    async open({ session = "main", window = "work", title } = {}) {
      const pane = stage.open({ workspace: session, tab: window });
      pane.screen.rows = 24;
      pane.screen.show("");
      if (title !== undefined) world.setTitle(pane, title);
      const listed = (await provider.list(signal)).find(({ id }) => !panes.has(id));
      if (!listed) throw new Error("a new pane is not listed");
      panes.set(listed.id, pane);
      return listed.id;
    },
    print: async (id, text) => find(id).screen.print(text),
    close: async (id) => world.close(find(id).id),
    respawn: async (id) => world.startAgent(find(id), "claude"),
    async stopServer() {
      world.workspaces.splice(0);
      world.focused = null;
      stage.double.restart();
    },
    end: () => stage[Symbol.asyncDispose](),
  };
}

const QUIET = ["sleep", "600"];
const printable = (name: string) => name.replace(/\p{Cc}/gu, " ");

export async function tmuxStage(): Promise<Stage> {
  const tmux = await PrivateTmux.idle();
  const provider = await openMux({ socket: tmux.socket, disableAutoRename: true });
  return { ...tmuxWorld(tmux, (id) => id), provider };
}

/** The same tmux server, reached as another machine's through a kept shell. */
export async function remoteStage(): Promise<Stage> {
  const tmux = await PrivateTmux.idle();
  const link = await openRemoteLink(tmux);
  const namespace = new Namespace(7, "far");
  const provider = new MuxProvider({
    client: new RemoteTmux(link),
    processes: new RemoteProcesses(link),
    namespace,
    link: {
      start: () => link.start(),
      stop: () => link.stop(),
      isLive: () => link.state.status === "live",
      away: () => new AppError("conflict", "the host far is away"),
      claims: async () => true,
    },
    disableAutoRename: true,
    log: createLog(() => {}),
  });
  const world = tmuxWorld(tmux, (id) => namespace.id(id));
  const end = async () => {
    link.stop();
    await tmux.stop();
  };
  return { ...world, provider, end };
}

/** @param listedId the id by which the provider lists a pane of this server */
function tmuxWorld(tmux: PrivateTmux, listedId: (id: string) => string): Omit<Stage, "provider"> {
  const ids = new Map<string, string>();
  const own = (id: string) => ids.get(id) ?? id;
  // From 3.7 on tmux refuses names with control characters.
  const quiet = (window: string, session?: string) =>
    tmux
      .quiet(window, session)
      .catch(() => tmux.quiet(printable(window), session && printable(session)));
  return {
    async open({ session, window = "work", title } = {}) {
      const id = await quiet(window, session);
      ids.set(listedId(id), id);
      // tmux expands the title as a format.
      const literal = title?.replaceAll("#", "##");
      if (literal !== undefined) await tmux.command("select-pane", "-t", id, "-T", literal);
      return listedId(id);
    },
    // Written to the pane's terminal, as a program does.
    print: async (id, text) =>
      writeFile(await tmux.format(own(id), "#{pane_tty}"), `${text.replaceAll("\n", "\r\n")}\r\n`),
    close: async (id) => void (await tmux.command("kill-pane", "-t", own(id))),
    respawn: async (id) => void (await tmux.command("respawn-pane", "-k", "-t", own(id), ...QUIET)),
    stopServer: () => tmux.kill(),
    end: () => tmux.stop(),
  };
}
