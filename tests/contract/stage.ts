import { writeFile } from "node:fs/promises";
import { createLog } from "../../src/lib/log.ts";
import { MuxProvider } from "../../src/terminal/mux/provider.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { FakeProvider } from "../support/fake-provider.ts";
import { ScriptedProvider } from "../support/scripted-provider.ts";
import { PrivateTmux } from "../support/tmux.ts";

export interface PaneOptions {
  session?: string;
  window?: string;
  title?: string;
}

/** What a contract test does to the world behind a provider. */
export interface Stage {
  provider: TerminalProvider;
  /** A pane that prints nothing by itself; answers its id. */
  open(options?: PaneOptions): Promise<string>;
  print(id: string, text: string): Promise<void>;
  close(id: string): Promise<void>;
  /** Another process in the same pane. */
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

export async function scriptedStage(): Promise<Stage> {
  const provider = new ScriptedProvider();
  return {
    provider,
    open: async ({ session, window, title } = {}) =>
      provider.open({
        ...(session === undefined ? {} : { workspace: session }),
        ...(window === undefined ? {} : { tab: window }),
        ...(title === undefined ? {} : { title }),
      }).id,
    print: async (id, text) => {
      const pane = provider.find(id);
      pane.text = pane.text === "" ? text : `${pane.text}\n${text}`;
    },
    close: async (id) => provider.close(id),
    respawn: async (id) => provider.respawn(id),
    stopServer: async () => void provider.panes.splice(0),
    end: async () => {},
  };
}

const QUIET = ["sleep", "600"];

export async function tmuxStage(): Promise<Stage> {
  const tmux = await PrivateTmux.idle();
  const provider = await MuxProvider.open({
    binary: "tmux",
    socket: tmux.socket,
    disableAutoRename: true,
    log: createLog(() => {}),
  });
  return {
    provider,
    async open({ session, window = "work", title } = {}) {
      const id = await tmux.quiet(window, session);
      // It reads its argument as a format.
      const literal = title?.replaceAll("#", "##");
      if (literal !== undefined) await tmux.command("select-pane", "-t", id, "-T", literal);
      return id;
    },
    // What a program prints is what is written to its terminal.
    print: async (id, text) =>
      writeFile(await tmux.format(id, "#{pane_tty}"), `${text.replaceAll("\n", "\r\n")}\r\n`),
    close: async (id) => void (await tmux.command("kill-pane", "-t", id)),
    respawn: async (id) => void (await tmux.command("respawn-pane", "-k", "-t", id, ...QUIET)),
    stopServer: () => tmux.kill(),
    end: () => tmux.stop(),
  };
}
