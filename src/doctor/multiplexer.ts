import { type Config, CONFIG_KEYS } from "../config/fields.ts";
import { type Layers, sourceOf } from "../config/resolve.ts";
import { StartupError } from "../errors.ts";
import { checkHost } from "../hosts/check.ts";
import { tmuxFault } from "../multiplexer.ts";
import type { HostConfig, HostStep } from "../protocol/hosts.ts";
import { MuxClient } from "../terminal/mux/client.ts";
import { complaint, meansNoPanes } from "../terminal/mux/parse.ts";
import { examine, requireSessionName } from "../terminal/wsp/examine.ts";
import { Tool } from "../terminal/wsp/tool.ts";
import { type Check, type DoctorContext, fail, ok, warn } from "./topic.ts";

const ASK_TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

export interface MuxFacts {
  /** Why the executable cannot be used. */
  refusal: string | null;
  executable: string;
  version: string;
  /** Null: the server could not be asked, for this reason. */
  server: { socket: string | null; panes: number | null; failure: string | null };
}

interface WspFacts {
  refusal: string | null;
  executable: string;
  findings: readonly { check: string; found: string; fault: { remedy: string } | null }[];
  /** What runs, once every check has passed; `isAnswered` by the configuration. */
  release: { version: string; isVerified: boolean; isAnswered: boolean } | null;
  /** Settings that only tmux knows and that differ from their defaults. */
  ignored: readonly string[];
}

/** Looks at the multiplexer of the configuration, as the start would; the other is left alone. */
export async function lookAtMultiplexer(context: DoctorContext): Promise<readonly Check[]> {
  const { config, layers } = context;
  if (config["terminal.provider"] === "wsp") return wspChecks(await wspFacts(config, layers));
  if (!config["local.watch"]) return [ok("this machine is not watched: local.watch is false")];
  return muxChecks(await muxFacts(config));
}

export function wspChecks(facts: WspFacts): Check[] {
  const { refusal, executable, findings, release, ignored } = facts;
  if (refusal !== null) return [fail(refusal, "see docs/wsp.md")];
  const checks = [ok(`herdr at ${executable}`)];
  for (const { check, found, fault } of findings)
    checks.push(fault ? fail(`${check}: ${found}`, fault.remedy) : ok(`${check}: ${found}`));
  if (release && !release.isVerified) {
    const { version, isAnswered } = release;
    const found = `herdr ${version} has not been tried`;
    checks.push(
      isAnswered
        ? ok(`${found}; terminal.wsp.accept lets it be answered`)
        : warn(`${found}: answers are off`, "terminal.wsp.accept: untested lets them through"),
    );
  }
  for (const key of ignored) checks.push(warn(`${key} has no effect with wsp`, "remove it"));
  return checks;
}

export function muxChecks(mux: MuxFacts): Check[] {
  if (mux.refusal !== null)
    return [fail(mux.refusal, "install tmux 3.2 or newer, or set mux.binary to its path")];
  const checks = [ok(`tmux ${mux.version} at ${mux.executable}`)];
  const { socket, panes, failure } = mux.server;
  if (failure !== null)
    checks.push(fail(`the server does not answer: ${failure}`, "see mux.socket and TMUX_TMPDIR"));
  else if (panes === null) checks.push(ok("no session yet; panes appear when there is one"));
  else checks.push(ok(`server at ${socket ?? "an unknown socket"}, ${panes} panes`));
  return checks;
}

async function wspFacts(config: Config, layers: Layers): Promise<WspFacts> {
  const session = config["terminal.wsp.session"];
  const ignored = CONFIG_KEYS.filter(
    (key) => /^(?:mux|creation)\./.test(key) && sourceOf(layers, key) !== "default",
  );
  try {
    requireSessionName(session);
    const binary = config["terminal.wsp.binary"];
    const tool = Tool.open({ binary, session, env: process.env });
    const { findings, identity } = await examine(tool);
    const isAnswered = config["terminal.wsp.accept"] === "untested";
    const release = identity && { ...identity.release, isAnswered };
    return { refusal: null, executable: tool.executable, findings, release, ignored };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return { refusal: error.message, executable: "", findings: [], release: null, ignored };
  }
}

async function muxFacts(config: Config): Promise<MuxFacts> {
  const options = { binary: config["mux.binary"], socket: config["mux.socket"] };
  const server = { socket: null, panes: null, failure: null };
  try {
    const client = await MuxClient.open(options);
    const { executable, version } = client;
    return { refusal: null, executable, version, server: await serverFacts(client) };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return { refusal: error.message, executable: "", version: "", server };
  }
}

async function serverFacts(client: MuxClient): Promise<MuxFacts["server"]> {
  const limits = { timeoutMs: ASK_TIMEOUT_MS, maxBytes: MAX_REPLY_BYTES };
  try {
    const reply = await client.run([["list-panes", "-a", "-F", "#{socket_path}"]], limits);
    const lines = new TextDecoder().decode(reply.stdout).split("\n").filter(Boolean);
    if (reply.code === 0) return { socket: lines[0] ?? null, panes: lines.length, failure: null };
    const isEmpty = meansNoPanes(reply.stderr);
    const failure = isEmpty ? null : complaint(reply.stderr, reply.code);
    return { socket: null, panes: null, failure };
  } catch (error) {
    return { socket: null, panes: null, failure: String(error) };
  }
}

/** Connects to every machine that is watched, once. */
export async function lookAtHosts({ config }: DoctorContext): Promise<readonly Check[]> {
  const { hosts } = config;
  if (hosts.length === 0) return [ok("only this machine is watched")];
  if (config["terminal.provider"] !== "mux")
    return [warn("other machines are watched with tmux only", "remove hosts")];
  const watched = hosts.filter(({ watch }) => watch);
  return Promise.all(
    watched.map(async (host) =>
      hostCheck(host, await checkHost(host.ssh, { versionFault: tmuxFault })),
    ),
  );
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
