import type { RunResult } from "../../lib/run.ts";
import { newMark } from "./commands.ts";
import type { Tmux } from "./tmux.ts";

/** In place of the tmux of a machine that is not watched: a server never runs there. */
export class NoTmux implements Tmux {
  readonly executable = "tmux";
  readonly version = null;
  readonly socket = null;
  readonly batchRows = 1;
  readonly newMark = newMark;

  async run(): Promise<RunResult> {
    return { code: 1, stdout: new Uint8Array(), stderr: "no server running on this machine" };
  }

  feed(): Promise<RunResult> {
    return this.run();
  }

  inEnvironment(): this {
    return this;
  }
}
