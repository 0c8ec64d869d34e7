import { type Config, CONFIG_KEYS } from "../config/fields.ts";
import { sourceOf } from "../config/resolve.ts";
import { StartupError } from "../errors.ts";
import { checkHost } from "../hosts/check.ts";
import { tmuxFault } from "../multiplexer.ts";
import type { HostConfig, HostStep } from "../protocol/hosts.ts";
import { MuxClient } from "../terminal/mux/client.ts";
import { complaint, meansNoPanes } from "../terminal/mux/parse.ts";
import { examine, requireSessionName } from "../terminal/wsp/examine.ts";
import { Tool } from "../terminal/wsp/tool.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";

const ASK_LIMITS = { timeoutMs: 5000, maxBytes: 16 * 1024 * 1024 };

/** Opens the configured multiplexer as the start does, and no other. */
export async function* examineMultiplexer(context: DoctorContext): AsyncGenerator<Check, void> {
  const { config } = context;
  const isWsp = config["terminal.provider"] === "wsp";
  if (!isWsp && !config["local.watch"])
    return yield ok("this machine is not watched: local.watch is false");
  try {
    yield* isWsp ? await examineHerdr(context) : tmuxChecks(config);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const install = "install tmux 3.2 or newer, or set mux.binary to its path";
    yield fail(error.message, isWsp ? "see docs/wsp.md" : install);
  }
}

interface Examined {
  checks: readonly { check: string; found: string; fault: { remedy: string } | null }[];
  /** Null where a finding is a fault. */
  identity: { release: { version: string; isVerified: boolean } } | null;
}

async function examineHerdr(context: DoctorContext): Promise<Iterable<Check>> {
  const { config } = context;
  const session = config["terminal.wsp.session"];
  requireSessionName(session);
  const tool = Tool.open({ binary: config["terminal.wsp.binary"], session, env: process.env });
  return herdrChecks(context, tool.executable, await examine(tool));
}

export function* herdrChecks(
  { config, layers }: Pick<DoctorContext, "config" | "layers">,
  executable: string,
  { checks, identity }: Examined,
): Generator<Check, void> {
  yield ok(`herdr at ${executable}`);
  for (const { check, found, fault } of checks)
    yield fault ? fail(`${check}: ${found}`, fault.remedy) : ok(`${check}: ${found}`);
  if (identity && !identity.release.isVerified) {
    const found = `herdr ${identity.release.version} has not been tried`;
    yield config["terminal.wsp.accept"] === "untested"
      ? ok(`${found}; terminal.wsp.accept lets it be answered`)
      : warn(`${found}: answers are off`, "terminal.wsp.accept: untested lets them through");
  }
  for (const key of CONFIG_KEYS)
    if (/^(?:mux|creation)\./.test(key) && sourceOf(layers, key) !== "default")
      yield warn(`${key} has no effect with wsp`, "remove it");
}

async function* tmuxChecks(config: Config): AsyncGenerator<Check, void> {
  const options = { binary: config["mux.binary"], socket: config["mux.socket"] };
  const client = await MuxClient.open(options);
  yield ok(`tmux ${client.version} at ${client.executable}`);
  const failed = (why: string) =>
    fail(`the server does not answer: ${why}`, "see mux.socket and TMUX_TMPDIR");
  try {
    const reply = await client.run([["list-panes", "-a", "-F", "#{socket_path}"]], ASK_LIMITS);
    const lines = new TextDecoder().decode(reply.stdout).split("\n").filter(Boolean);
    if (reply.code === 0)
      yield ok(`server at ${lines[0] ?? "an unknown socket"}, ${lines.length} panes`);
    else if (meansNoPanes(reply.stderr)) yield ok("no session yet; panes appear when there is one");
    else yield failed(complaint(reply.stderr, reply.code));
  } catch (error) {
    yield failed(String(error));
  }
}

/** Connects once to every watched machine. */
export async function* examineHosts({ config }: DoctorContext): AsyncGenerator<Check, void> {
  const { hosts } = config;
  if (hosts.length === 0) return yield ok("only this machine is watched");
  if (config["terminal.provider"] !== "mux")
    return yield warn("other machines are watched with tmux only", "remove hosts");
  const watched = hosts.filter(({ watch }) => watch);
  const checkOf = async (host: HostConfig) =>
    hostCheck(host, await checkHost(host.ssh, { versionFault: tmuxFault }));
  yield* await Promise.all(watched.map(checkOf));
}

export function hostCheck({ name, ssh }: HostConfig, steps: readonly HostStep[]): Check {
  const last = steps.at(-1);
  if (last?.ok) return ok(`${name} can be watched, with ${last.detail ?? "its tmux"}`);
  const step = (last?.step ?? "resolve").replaceAll("_", " ");
  return warn(
    `${name} cannot be watched: ${step}: ${last?.detail ?? "no word from ssh"}`,
    `ssh ${ssh} true`,
  );
}
