import { afterAll } from "bun:test";
import type { Layer } from "../../src/config/resolve.ts";
import { type HostState, HostsReply } from "../../src/protocol/hosts.ts";
import { StateFrame } from "../../src/protocol/frames.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

type HostOptions = Omit<Parameters<SshLab["host"]>[1], "tmux">;

/** A service with its own tmux, and machines that it reaches over ssh; all of it ends after the test file. */
export class HostStage {
  readonly #tmuxes: PrivateTmux[];
  readonly #hosts: string[] = [];
  #service: LiveService | null = null;

  private constructor(
    readonly lab: SshLab,
    readonly here: PrivateTmux,
  ) {
    this.#tmuxes = [here];
    afterAll(async () => {
      await this.#service?.stop();
      await lab.stop();
      await Promise.all(this.#tmuxes.map((tmux) => tmux.stop()));
    });
  }

  static async open(): Promise<HostStage> {
    return new HostStage(await SshLab.open(), await PrivateTmux.start());
  }

  /** The tmux of a new machine, which is watched from the beginning. */
  async host(name: string, more: HostOptions = {}, tmux?: PrivateTmux): Promise<PrivateTmux> {
    const there = tmux ?? (await PrivateTmux.start());
    if (!this.#tmuxes.includes(there)) this.#tmuxes.push(there);
    await this.lab.host(name, { ...more, tmux: there.folder });
    this.#hosts.push(name);
    return there;
  }

  async begin(
    flags: Layer = {},
    linkCommand: (ssh: string) => readonly string[] = this.lab.command,
  ): Promise<LiveService> {
    const hosts = this.#hosts.map((name) => ({ name, ssh: name, watch: true }));
    const shown = { "discovery.include_shells": true, hosts, ...flags };
    this.#service = await startLiveService({ tmux: this.here, linkCommand, flags: shown });
    return this.#service;
  }

  get = (path: string) => this.#ask("GET", path);
  post = (path: string, body: unknown) => this.#ask("POST", path, body);

  panes = async (): Promise<PaneState[]> =>
    StateFrame.parse((await this.get("/api/state")).body).panes;

  hosts = async (): Promise<HostState[]> =>
    HostsReply.parse((await this.get("/api/hosts")).body).hosts;

  hostIs = (name: string, status: HostState["status"]): Promise<HostState> =>
    until(async () => {
      const found = (await this.hosts()).find((each) => each.name === name);
      return found?.status === status ? found : null;
    });

  async #ask(method: string, path: string, body?: unknown) {
    if (this.#service === null) throw new Error("it has not begun");
    const reply = await this.#service.call(method, path, body);
    return { status: reply.status, body: reply.body };
  }
}
