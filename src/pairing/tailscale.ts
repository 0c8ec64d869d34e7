import { existsSync } from "node:fs";
import { z } from "zod";
import { parseJson } from "../lib/json.ts";
import { isLoopback, urlHost } from "../lib/address.ts";
import { run, RunError } from "../lib/run.ts";

const TIMEOUT_MS = 3000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Where the app for macOS has its command, which is in no PATH. */
const MAC_APP = "/Applications/Tailscale.app/Contents/MacOS/Tailscale";
/** Tried in this order, so that nothing else that is served has to give way. */
const HTTPS_PORTS = [443, 8443, 10000] as const;

/** Of `tailscale status --json`: what is used of it. */
const Status = z.object({
  BackendState: z.string(),
  Self: z.object({ DNSName: z.string() }).nullish(),
});

/** Of `tailscale serve status --json`. Keys of `Web` are `name:port`, those of `Handlers` paths. */
const Served = z.object({
  TCP: z.record(z.string(), z.unknown()).nullish(),
  Web: z
    .record(
      z.string(),
      z.object({ Handlers: z.record(z.string(), z.object({ Proxy: z.string().optional() })) }),
    )
    .nullish(),
  AllowFunnel: z.record(z.string(), z.boolean()).nullish(),
});
const ServeStatus = Served.extend({ Foreground: z.record(z.string(), Served).nullish() });

export interface ServeTarget {
  host: string;
  port: number;
}

export type TailscaleFacts =
  | { state: "none" }
  | {
      state: "off";
      /** The daemon answers; else it has to be started first. */
      hasDaemon: boolean;
    }
  | {
      state: "on";
      /** Where it leads to this service; null where it does not. */
      served: { url: string; isPublic: boolean; off: readonly string[] } | null;
      /** What it will be called once `serve` was run. */
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

/** What brings a Tailscale up that is off; on Linux it is root's to do. */
export function upCommand({ hasDaemon }: { hasDaemon: boolean }): string {
  if (process.platform !== "linux") return hasDaemon ? "tailscale up" : "open -a Tailscale";
  const sudo = process.getuid?.() === 0 ? "" : "sudo ";
  return hasDaemon ? `${sudo}tailscale up` : `${sudo}systemctl start tailscaled`;
}

/** How Tailscale stands to this service. It changes nothing. */
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

function servedIn(layer: z.infer<typeof Served>, target: ServeTarget) {
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

/** A port alone means 127.0.0.1. */
function targetOf({ host, port }: ServeTarget): string {
  const isOnLoopback = ["127.0.0.1", "0.0.0.0", "::"].includes(host);
  return isOnLoopback ? String(port) : `http://${urlHost(host)}:${port}`;
}

/** Undefined where it gave none. */
async function ask(argv: readonly string[]): Promise<unknown> {
  try {
    const { stdout } = await run(argv, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    return parseJson(new TextDecoder().decode(stdout));
  } catch (error) {
    if (error instanceof RunError) return undefined;
    throw error;
  }
}
