import { homedir } from "node:os";
import { join, resolve as absolute } from "node:path";
import type { Config } from "../config/fields.ts";
import type { Flags } from "../config/resolve.ts";
import { configPathOf } from "../config/state-dir.ts";
import { print } from "../lib/print.ts";
import { SECRETS } from "../naming/environment.ts";
import { serviceEnvironment, type ServiceFacts } from "../service/managers.ts";
import { ServiceControl, serviceFor } from "../service/service.ts";
import { socketPath } from "../terminal/mux/client.ts";
import { sourcesFor } from "./context.ts";
import { lastingPath } from "./install/installation.ts";
import { requireSessionName } from "../terminal/wsp/examine.ts";
import { requireAccess, SELF } from "./serve.ts";

export async function installService(flags: Flags): Promise<number> {
  const sources = await sourcesFor(flags);
  const { config } = sources;
  // A service with a refused configuration would end at once: the person is told now.
  requireAccess(sources);
  if (config["terminal.provider"] === "wsp") requireSessionName(config["terminal.wsp.session"]);
  const socket = inheritedSocket(config);
  const env = { ...serviceEnvironment(process.env), ...(socket === null ? {} : { TMUX: socket }) };
  const [executable = "", ...rest] = SELF;
  await serviceControl(flags, [lastingPath(executable), ...rest], env).install();
  for (const hint of environmentHints(config, socket)) print(`${hint}\n`);
  return 0;
}

/** The socket that TMUX names, where the configuration names none; null for the default socket. */
function inheritedSocket(config: Config): string | null {
  if (config["terminal.provider"] !== "mux" || config["mux.socket"] !== "") return null;
  const uid = process.getuid?.() ?? 0;
  const inherited = socketPath("", process.env, uid);
  return inherited === socketPath("", { ...process.env, TMUX: "" }, uid) ? null : inherited;
}

function environmentHints(config: Config, socket: string | null): string[] {
  const hints: string[] = [];
  if (socket !== null)
    hints.push(`It watches the tmux server of this pane, ${socket}; mux.socket names another`);
  const secrets = SECRETS[config["auto_naming.ai_backend"]].filter((name) => process.env[name]);
  if (config["auto_naming.ai_enabled"] && secrets.length > 0)
    hints.push(
      `A secret is not written into the service's file: see docs/service.md for ${secrets.join(", ")}`,
    );
  return hints;
}

export async function uninstallService(flags: Flags): Promise<number> {
  await serviceControl(flags).uninstall();
  return 0;
}

export async function serviceStatus(flags: Flags): Promise<number> {
  const { isRunning, sentence } = await serviceControl(flags).status();
  print(`${sentence}\n`);
  return isRunning ? 0 : 1;
}

/** @param env goes into the definition; needed for an installation alone */
export function serviceControl(
  flags: Flags,
  self: readonly string[] = SELF,
  env: ServiceFacts["env"] = {},
): ServiceControl {
  return new ServiceControl({
    definition: serviceFor(process.platform, { ...factsOf(flags, self), env }),
    print: (line) => print(`${line}\n`),
    isDryRun: flags["dry-run"] === true,
  });
}

function factsOf(flags: Flags, self: readonly string[]): Omit<ServiceFacts, "env"> {
  const config = configPathOf(flags);
  const home = homedir();
  return {
    argv: [...self, ...(config === null ? [] : ["--config", absolute(config)])],
    home,
    configHome: process.env.XDG_CONFIG_HOME || join(home, ".config"),
    userId: process.getuid?.() ?? 0,
  };
}
