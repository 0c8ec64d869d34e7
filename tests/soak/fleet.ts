import type { PrivateTmux } from "../support/tmux.ts";

/** Programs that print, wait, ask and die; `sh` and what it starts, since real panes do that too. */
const PROGRAMS = [
  "while :; do seq 1 20; sleep 0.7; done",
  "while :; do date; sleep 2; done",
  'i=0; while :; do i=$((i+1)); printf "\\rworking %d" $i; sleep 0.4; done',
  'while :; do printf "Overwrite file? (y/n) "; read answer || exit; echo "got $answer"; done',
  "cat",
  "exec sh",
  "echo 'Traceback (most recent call last)'; cat",
  "printf '漢字 😀 \\033[31mred\\033[0m\\n'; cat",
];
const MORTAL = ["sleep 1", "seq 1 500; sleep 3", "exit 1"];

/** The panes of the soak: kept at their number while some of them die by themselves. */
export class SoakFleet {
  readonly #tmux: PrivateTmux;
  readonly #size: number;
  opened = 0;
  restarts = 0;

  constructor(tmux: PrivateTmux, size: number) {
    this.#tmux = tmux;
    this.#size = size;
  }

  async ids(): Promise<string[]> {
    const { code, stdout } = await this.#tmux.run(["list-panes", "-a", "-F", "#{pane_id}"]);
    return code === 0 ? new TextDecoder().decode(stdout).trim().split("\n") : [];
  }

  /** Opens what is missing; with `mortal` some of it will die soon. */
  async fill(mortal: boolean): Promise<void> {
    const missing = this.#size - (await this.ids()).length;
    const programs: string[] = [];
    for (let i = 0; i < missing; i++) {
      const isMortal = mortal && this.opened % 3 === 0;
      const list = isMortal ? MORTAL : PROGRAMS;
      programs.push(list[this.opened % list.length] ?? "cat");
      this.opened += 1;
    }
    // What fails is told by no one: a pane that has died may have been the last one of its session.
    await this.#tmux.feed(
      programs.map((program) => [["new-window", "-d", "-t", "main:", program]]),
    );
  }

  async killSome(): Promise<void> {
    const ids = await this.ids();
    for (const id of ids.filter(() => Math.random() < 0.05))
      await this.#tmux.run(["kill-pane", "-t", id]);
  }

  async restartServer(): Promise<void> {
    await this.#tmux.kill();
    await this.#tmux.boot();
    this.restarts += 1;
  }
}
