import { randomBytes } from "node:crypto";
import { type PipedProgram, spawnPiped } from "../lib/line-process.ts";
import { RunError } from "../lib/run.ts";
import { HostStepName, type HostReason, type HostStep } from "../protocol/hosts.ts";
import { LinkOutputParser } from "./link-output.ts";
import { remoteScript, linkCommand } from "./remote-shell.ts";
import { type Refusal, sshRefusal } from "./link-state.ts";

export const CHECK_SECONDS = 20;

const STEPS = HostStepName.options;

/** What ssh prints at LogLevel DEBUG1 once a step has succeeded. */
const SIGNS: readonly (readonly [HostStepName, RegExp])[] = [
  ["resolve", /^debug1: (Connecting to |Executing proxy command)/m],
  ["connect", /^debug1: Remote protocol version /m],
  ["host_key", /^debug1: Host '.*' is known and matches /m],
  ["sign_in", /^Authenticated to /m],
];

/** The step that a reason belongs to, unless a later one has succeeded. */
const STEP_OF: Partial<Record<HostReason, HostStepName>> = {
  unknown_host_key: "host_key",
  changed_host_key: "host_key",
  refused_key: "sign_in",
  no_shell: "shell",
};

interface CheckOptions {
  /** The command line of a link; absent: ssh's. */
  command?: readonly string[];
  versionFault: (version: string) => Refusal | null;
  timeoutMs?: number;
}

/** Connects once, as a link does, up to the first step that fails. */
export async function checkHost(ssh: string, options: CheckOptions): Promise<HostStep[]> {
  const { command = linkCommand(ssh), timeoutMs = CHECK_SECONDS * 1000, versionFault } = options;
  const attempt = new Attempt();
  const mark = randomBytes(9).toString("hex");
  const parser = new LinkOutputParser(mark);
  const ended = Promise.withResolvers<Refusal | null>();
  let program: PipedProgram;
  try {
    program = spawnPiped(verbose(command), {
      onOutput(bytes) {
        for (const output of parser.push(bytes)) {
          if (output.is !== "ready") continue;
          attempt.reached("shell");
          const fault = versionFault(output.version);
          if (fault === null) attempt.reached("tmux", output.version);
          ended.resolve(fault);
        }
      },
      onMessages: (bytes) => attempt.receive(new TextDecoder().decode(bytes)),
      onEnd: (code) => ended.resolve(sshRefusal(code, attempt.complaints, parser.rest)),
    });
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return attempt.steps({ reason: "unreachable", detail: error.message });
  }
  const timer = setTimeout(
    () => ended.resolve({ reason: "timeout", detail: `no answer within ${timeoutMs / 1000} s` }),
    timeoutMs,
  );
  program.write(remoteScript(mark));
  const refusal = await ended.promise;
  clearTimeout(timer);
  program.kill();
  return attempt.steps(refusal);
}

/** Of two values for one option ssh takes the first. */
function verbose([ssh = "", ...rest]: readonly string[]): string[] {
  return [ssh, "-o", "LogLevel=DEBUG1", ...rest];
}

class Attempt {
  #messages = "";
  #lastMs = performance.now();
  readonly #reached: HostStep[] = [];

  get complaints(): string {
    const noise = /^(debug\d: |OpenSSH_|Authenticated to |Transferred: |Bytes per second: )/;
    const lines = this.#messages.split(/\r?\n/);
    return lines.filter((line) => !noise.test(line)).join("\n");
  }

  receive(text: string): void {
    this.#messages = (this.#messages + text).slice(-64 * 1024);
    for (const [step, sign] of SIGNS) if (sign.test(this.#messages)) this.reached(step);
  }

  /** The steps before it have succeeded too. */
  reached(step: HostStepName, detail: string | null = null): void {
    const at = STEPS.indexOf(step);
    const before = STEPS.slice(this.#reached.length, at);
    for (const each of before) this.#reached.push({ step: each, ok: true, detail: null, ms: 0 });
    if (this.#reached.length === at) this.#reached.push(this.#ended(step, true, detail));
  }

  steps(refusal: Refusal | null): HostStep[] {
    const named = refusal === null ? undefined : STEP_OF[refusal.reason];
    const at = Math.max(this.#reached.length, named ? STEPS.indexOf(named) : 0);
    const [before, step] = [STEPS[at - 1], STEPS[at]];
    if (refusal === null || step === undefined) return this.#reached;
    if (before !== undefined) this.reached(before);
    return [...this.#reached, this.#ended(step, false, refusal.detail)];
  }

  #ended(step: HostStepName, ok: boolean, detail: string | null): HostStep {
    const before = this.#lastMs;
    this.#lastMs = performance.now();
    return { step, ok, detail, ms: Math.round(this.#lastMs - before) };
  }
}
