import { existsSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../lib/json.ts";
import { isLoopback, urlHost } from "../lib/address.ts";
import { run, RunError } from "../lib/run.ts";

const TIMEOUT_MS = 3000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Command of the app for macOS, which is in no PATH. */
const MAC_APP = "/Applications/Tailscale.app/Contents/MacOS/Tailscale";
/** Tried in this order: a port that serves something else is left alone. */
const HTTPS_PORTS = [443, 8443, 10000] as const;

/** Of `tailscale status --json`. */
const Status = z.object({
  BackendState: z.string(),
  Self: z.object({ DNSName: z.string() }).nullish(),
});

/** Of `tailscale serve status --json`. Keys of `Web` are `name:port`, those of `Handlers` paths. */
const ServeConfig = z.object({
  TCP: z.record(z.string(), z.unknown()).nullish(),
  Web: z
    .record(
      z.string(),
      z.object({ Handlers: z.record(z.string(), z.object({ Proxy: z.string().optional() })) }),
    )
    .nullish(),
  AllowFunnel: z.record(z.string(), z.boolean()).nullish(),
});
const ServeStatus = ServeConfig.extend({ Foreground: z.record(z.string(), ServeConfig).nullish() });

export interface ServeTarget {
  host: string;
  port: number;
}

export type TailscaleFacts =
  | { state: "none" }
  | {
      state: "off";
      /** Whether the daemon answers; else it has to be started first. */
      hasDaemon: boolean;
    }
  | {
      state: "on";
      /** Null where it does not serve this service; `off`: arguments that end it. */
      served: { url: string; isPublic: boolean; off: readonly string[] } | null;
      /** The address once `tailscale` was run with the arguments `serve`. */
      url: string;
      serve: readonly string[];
    };

/** Null where Tailscale is not installed. */
export function findTailscale(): string | null {
  return (
    Bun.which("tailscale", { PATH: process.env.PATH ?? "" }) ??
    (existsSync(MAC_APP) ? MAC_APP : null)
  );
}

/** The command that starts Tailscale; on Linux it needs root. */
export function upCommand({ hasDaemon }: { hasDaemon: boolean }): string {
  if (process.platform !== "linux") return hasDaemon ? "tailscale up" : "open -a Tailscale";
  const sudo = process.getuid?.() === 0 ? "" : "sudo ";
  return hasDaemon ? `${sudo}tailscale up` : `${sudo}systemctl start tailscaled`;
}

/** Changes nothing. */
export async function readTailscale(target: ServeTarget): Promise<TailscaleFacts> {
  const executable = findTailscale();
  if (executable === null) return { state: "none" };
  const [status, serving] = await Promise.all([
    ask([executable, "status", "--json", "--peers=false"]),
    ask([executable, "serve", "status", "--json"]),
  ]);
  return factsOf(status, serving, target);
}

export function factsOf(status: unknown, serving: unknown, target: ServeTarget): TailscaleFacts {
  const { data } = Status.safeParse(status);
  const name = data?.Self?.DNSName.replace(/\.$/, "") ?? "";
  if (data?.BackendState !== "Running" || name === "")
    return { state: "off", hasDaemon: data !== undefined };
  const config = ServeStatus.safeParse(serving ?? {}).data ?? {};
  const layers = [config, ...Object.values(config.Foreground ?? {})];
  const isTaken = (port: number) => layers.some(({ TCP }) => TCP?.[port] !== undefined);
  const port = HTTPS_PORTS.find((one) => !isTaken(one)) ?? HTTPS_PORTS[0];
  return {
    state: "on",
    served: layers.map((layer) => servedIn(layer, target)).find((one) => one !== null) ?? null,
    url: urlOf(name, port),
    serve: ["serve", "--bg", ...(port === 443 ? [] : [`--https=${port}`]), targetOf(target)],
  };
}

function servedIn(layer: z.infer<typeof ServeConfig>, target: ServeTarget) {
  for (const [place, { Handlers }] of Object.entries(layer.Web ?? {})) {
    const [, name = "", port = ""] = /^(.*):(\d+)$/.exec(place) ?? [];
    const { HTTPS } = HttpsPort.safeParse(layer.TCP?.[port]).data ?? {};
    if (HTTPS !== true || !leadsTo(Handlers["/"]?.Proxy, target)) continue;
    const isAlone = Object.keys(Handlers).length === 1;
    return {
      url: urlOf(name, Number(port)),
      isPublic: layer.AllowFunnel?.[place] === true,
      off: ["serve", `--https=${port}`, ...(isAlone ? [] : ["--set-path=/"]), "off"],
    };
  }
  return null;
}

const HttpsPort = z.object({ HTTPS: z.boolean().optional() });

function leadsTo(proxy: string | undefined, { host, port }: ServeTarget): boolean {
  const url = URL.parse(proxy ?? "");
  if (url === null || url.protocol !== "http:" || url.port !== String(port)) return false;
  return isLoopback(url.hostname) || url.hostname === urlHost(host);
}

function urlOf(name: string, port: number): string {
  return `https://${name}${port === 443 ? "" : `:${port}`}`;
}

/** For Tailscale a port alone means 127.0.0.1. */
function targetOf({ host, port }: ServeTarget): string {
  const isOnLoopback = ["127.0.0.1", "0.0.0.0", "::"].includes(host);
  return isOnLoopback ? String(port) : `http://${urlHost(host)}:${port}`;
}

/** Undefined where the command fails. */
async function ask(argv: readonly string[]): Promise<unknown> {
  try {
    const { stdout } = await run(argv, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    return parseJson(new TextDecoder().decode(stdout));
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}
