import { CONFIG_KEYS, type Config } from "../config/fields.ts";
import { sourceOf, type Layers } from "../config/resolve.ts";
import { StartupError } from "../errors.ts";
import { MuxClient } from "../terminal/mux/client.ts";
import { complaint, meansNoPanes } from "../terminal/mux/parse.ts";
import { examine, requireSessionName } from "../terminal/wsp/examine.ts";
import { Tool } from "../terminal/wsp/tool.ts";
import type { DoctorFacts, MuxFacts, WspFacts } from "./checks.ts";

const ASK_TIMEOUT_MS = 5000;
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

/** Looks at the multiplexer of the configuration, as the start would; the other is left alone. */
export async function multiplexerFacts(
  config: Config,
  layers: Layers,
): Promise<DoctorFacts["multiplexer"]> {
  if (config["terminal.provider"] === "wsp")
    return { provider: "wsp", wsp: await wspFacts(config, layers) };
  return { provider: "mux", mux: await muxFacts(config) };
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
    const { findings } = await examine(tool);
    return { refusal: null, executable: tool.executable, findings, ignored };
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return { refusal: error.message, executable: "", findings: [], ignored };
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
    const reply = await client.run(["list-panes", "-a", "-F", "#{socket_path}"], limits);
    const lines = new TextDecoder().decode(reply.stdout).split("\n").filter(Boolean);
    if (reply.code === 0) return { socket: lines[0] ?? null, panes: lines.length, failure: null };
    const isEmpty = meansNoPanes(reply.stderr);
    const failure = isEmpty ? null : complaint(reply.stderr, reply.code);
    return { socket: null, panes: null, failure };
  } catch (error) {
    return { socket: null, panes: null, failure: String(error) };
  }
}
