import { homedir } from "node:os";
import { join, resolve as absolute } from "node:path";
import { resolve } from "../config/resolve.ts";
import { readYaml } from "../config/yaml.ts";
import { type ServiceFacts, serviceEnvironment } from "../service/definition.ts";
import { ServiceControl, serviceFor, type ServiceStatus } from "../service/service.ts";
import type { Flag, Flags } from "./arguments.ts";
import { CONFIG } from "./commands.ts";
import { configPathOf, requireSupported } from "./serve.ts";

const DRY_RUN: Flag = { name: "dry-run", help: "Say what would be done, and do nothing." };
export const INSTALL_FLAGS: readonly Flag[] = [CONFIG, DRY_RUN];
export const UNINSTALL_FLAGS: readonly Flag[] = [DRY_RUN];

/** `self` is how this program is started: itself, or Bun and its entry. */
export async function installService(flags: Flags, self: readonly string[]): Promise<number> {
  const config = configPathOf(flags);
  // A service whose file is refused would end at once: better told here.
  if (config !== null) {
    const { layer } = await readYaml(config);
    requireSupported(resolve({ yaml: layer, overlay: {}, flags: {} }));
  }
  await serviceControl(flags, self).install();
  return 0;
}

export async function uninstallService(flags: Flags, self: readonly string[]): Promise<number> {
  await serviceControl(flags, self).uninstall();
  return 0;
}

/** 0 when the service runs, 1 when it does not or that cannot be told. */
export async function serviceStatus(flags: Flags, self: readonly string[]): Promise<number> {
  const { isInstalled, isRunning } = await serviceControl(flags, self).status();
  process.stdout.write(`${isInstalled ? stateOf(isRunning) : "not installed"}\n`);
  return isRunning === true ? 0 : 1;
}

function stateOf(isRunning: ServiceStatus["isRunning"]): string {
  if (typeof isRunning === "object")
    return `installed; whether it runs cannot be told: ${isRunning.unknown}`;
  return isRunning ? "installed and running" : "installed, but not running";
}

export function serviceControl(flags: Flags, self: readonly string[]): ServiceControl {
  return new ServiceControl({
    definition: serviceFor(process.platform, factsOf(flags, self)),
    print: (line) => void process.stdout.write(`${line}\n`),
    isDryRun: flags.has("dry-run"),
  });
}

function factsOf(flags: Flags, self: readonly string[]): ServiceFacts {
  const config = configPathOf(flags);
  const home = homedir();
  return {
    argv: [...self, ...(config === null ? [] : ["--config", absolute(config)])],
    env: serviceEnvironment(process.env),
    home,
    configHome: process.env.XDG_CONFIG_HOME || join(home, ".config"),
    userId: process.getuid?.() ?? 0,
  };
}
