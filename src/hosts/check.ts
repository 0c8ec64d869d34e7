import { randomBytes } from "node:crypto";
import { type PipedProgram, spawnPiped } from "../lib/line-process.ts";
import { RunError } from "../lib/run.ts";
import { HostStepName, type HostReason, type HostStep } from "../protocol/hosts.ts";
import { Answers } from "./answers.ts";
import { farScript, linkCommand } from "./far-shell.ts";
import { type Refusal, sshRefusal } from "./link-state.ts";

export const CHECK_SECONDS = 20;

const STEPS = HostStepName.options;

/** What ssh says, when it is asked to say much, once a step has succeeded. */
const SIGNS: readonly (readonly [HostStepName, RegExp])[] = [
  ["resolve", /^debug1: (Connecting to |Executing proxy command)/m],
  ["connect", /^debug1: Remote protocol version /m],
  ["host_key", /^debug1: Host '.*' is known and matches /m],
  ["sign_in", /^Authenticated to /m],
];

/** The step that a reason belongs to, where the signs have not told of a later one. */
const STEP_OF: Partial<Record<HostReason, HostStepName>> = {
  unknown_host_key: "host_key",
  changed_host_key: "host_key",
  refused_key: "sign_in",
  no_shell: "shell",
};

interface CheckOptions {
  command?: readonly string[];
  versionFault: (version: string) => Refusal | null;
  timeoutMs?: number;
}

/** Connects once, as a link does, and tells how far it came; it ends at the first step that fails. */
export async function checkHost(ssh: string, options: CheckOptions): Promise<HostStep[]> {
  const { command = linkCommand(ssh), timeoutMs = CHECK_SECONDS * 1000, versionFault } = options;
  const attempt = new Attempt();
  const mark = randomBytes(9).toString("hex");
  const answers = new Answers(mark);
  const ended = Promise.withResolvers<Refusal | null>();
  let program: PipedProgram;
  try {
    program = spawnPiped(talkative(command), {
      onOutput(bytes) {
        for (const said of answers.push(bytes)) {
          if (said.is !== "ready") continue;
          attempt.reached("shell");
          const fault = versionFault(said.version);
          if (fault === null) attempt.reached("tmux", said.version);
          ended.resolve(fault);
        }
      },
      onMessages: (bytes) => attempt.hear(new TextDecoder().decode(bytes)),
      onEnd: (code) => ended.resolve(sshRefusal(code, attempt.complaints)),
    });
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return attempt.steps({ reason: "unreachable", detail: error.message });
  }
  const timer = setTimeout(
    () => ended.resolve({ reason: "timeout", detail: `no answer within ${timeoutMs / 1000} s` }),
    timeoutMs,
  );
  program.write(farScript(mark));
  const refusal = await ended.promise;
  clearTimeout(timer);
  program.kill();
  return attempt.steps(refusal);
}

/** The first value that ssh is given for an option holds. */
function talkative([ssh = "", ...rest]: readonly string[]): string[] {
  return [ssh, "-o", "LogLevel=DEBUG1", ...rest];
}

class Attempt {
  #said = "";
  #lastMs = performance.now();
  readonly #reached: HostStep[] = [];

  get complaints(): string {
    const told = /^(debug\d: |OpenSSH_|Authenticated to |Transferred: |Bytes per second: )/;
    const lines = this.#said.split(/\r?\n/);
    return lines.filter((line) => !told.test(line)).join("\n");
  }

  hear(text: string): void {
    this.#said = (this.#said + text).slice(-64 * 1024);
    for (const [step, sign] of SIGNS) if (sign.test(this.#said)) this.reached(step);
  }

  /** Whatever lies before it has succeeded as well. */
  reached(step: HostStepName, detail: string | null = null): void {
    if (this.#reached.some((each) => each.step === step)) return;
    for (const each of STEPS.slice(this.#reached.length, STEPS.indexOf(step)))
      this.#reached.push({ step: each, ok: true, detail: null, ms: 0 });
    this.#reached.push({ step, ok: true, detail, ms: this.#split() });
  }

  steps(refusal: Refusal | null): HostStep[] {
    if (refusal === null) return this.#reached;
    const named = STEP_OF[refusal.reason];
    const next = STEPS[this.#reached.length];
    const isLater = named && STEPS.indexOf(named) > this.#reached.length;
    if (isLater) this.reached(STEPS[STEPS.indexOf(named) - 1] ?? "resolve");
    const step = isLater ? named : next;
    if (step === undefined) return this.#reached;
    return [...this.#reached, { step, ok: false, detail: refusal.detail, ms: this.#split() }];
  }

  #split(): number {
    const before = this.#lastMs;
    this.#lastMs = performance.now();
    return Math.round(this.#lastMs - before);
  }
}
