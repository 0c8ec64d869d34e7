import { readFile, rm } from "node:fs/promises";
import { codeOf, StartupError } from "../errors.ts";
import { writePrivateFile } from "../lib/json-file.ts";
import { quoteWord } from "../lib/words.ts";
import { run, RunError } from "../lib/run.ts";
import {
  launchdService,
  type ManagerCommand,
  type ServiceDefinition,
  type ServiceFacts,
  systemdService,
} from "./managers.ts";

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const WAIT_TIMEOUT_MS = 5000;
const POLL_MS = 100;

/** @throws StartupError without a known service manager */
export function serviceFor(platform: string, facts: ServiceFacts): ServiceDefinition {
  if (platform === "linux") return systemdService(facts);
  if (platform === "darwin") return launchdService(facts);
  throw new StartupError(`there is no service for ${platform}: systemd and launchd are known`);
}

interface ServiceControlDeps {
  definition: ServiceDefinition;
  env?: Record<string, string | undefined>;
  print: (line: string) => void;
  isDryRun: boolean;
}

export type ServiceStatus = Awaited<ReturnType<ServiceControl["status"]>>;

/** Every method may be repeated without harm. */
export class ServiceControl {
  readonly #deps: ServiceControlDeps;

  constructor(deps: ServiceControlDeps) {
    this.#deps = deps;
  }

  async install(): Promise<void> {
    const { definition, isDryRun, print } = this.#deps;
    const { path, content, install, hints } = definition;
    const isCurrent = (await this.#readDefinition()) === content;
    if (isCurrent) print(`${path} is up to date`);
    else {
      await this.#step(`write ${path}`, () => writePrivateFile(path, content));
      if (isDryRun) print(`\n${content}`);
    }
    for (const command of install[isCurrent ? "unchanged" : "changed"])
      await this.#command(command);
    if (!isDryRun) for (const hint of hints) print(hint);
  }

  async uninstall(): Promise<void> {
    const { definition, print } = this.#deps;
    if ((await this.#readDefinition()) === null) return print("panewatch is not installed");
    const { stop, files, forget } = definition.uninstall;
    await this.#command(stop);
    for (const path of files) await this.#step(`remove ${path}`, () => rm(path, { force: true }));
    for (const command of forget) await this.#command(command);
  }

  /** Restarts a running service of this executable; false where there is none. */
  async restart(executable: string): Promise<boolean> {
    const isOurs = (await this.#readDefinition())?.includes(executable) ?? false;
    if (!isOurs || (await this.status()).isRunning !== true) return false;
    await this.#command(this.#deps.definition.restart);
    return true;
  }

  /** `isRunning` is null where the manager does not tell. */
  async status() {
    if ((await this.#readDefinition()) === null)
      return { isInstalled: false, isRunning: false, sentence: "not installed" };
    const { argv, stopped, shows } = this.#deps.definition.isRunning;
    const { code, stdout, why } = await this.#run(argv);
    if (code === 0 && (shows?.test(stdout) ?? true))
      return { isInstalled: true, isRunning: true, sentence: "installed and running" };
    if (code !== null && (code === 0 || stopped.includes(code)))
      return { isInstalled: true, isRunning: false, sentence: "installed, but not running" };
    const sentence = `installed; whether it runs cannot be told: ${why}`;
    return { isInstalled: true, isRunning: null, sentence };
  }

  async #readDefinition(): Promise<string | null> {
    return readFile(this.#deps.definition.path, "utf8").catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    });
  }

  async #step(what: string, carryOut: () => Promise<void>): Promise<void> {
    const { isDryRun, print } = this.#deps;
    print(`${isDryRun ? "would " : ""}${what}`);
    if (!isDryRun) await carryOut();
  }

  #command({ argv, ifFails, after }: ManagerCommand): Promise<void> {
    return this.#step(`run ${argv.map(quoteWord).join(" ")}`, async () => {
      if (after) await this.#waitUntilFails(after);
      const { code, why } = await this.#run(argv);
      if (code === 0 || ifFails === "") return;
      const failure = `${argv.join(" ")} failed${code === null ? "" : ` (${code})`}: ${why}`;
      if (ifFails === undefined) throw new StartupError(failure);
      this.#deps.print(`${failure}; ${ifFails}`);
    });
  }

  /** After the timeout the next command runs anyway, and its error tells what is wrong. */
  async #waitUntilFails(argv: readonly string[]): Promise<void> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    while ((await this.#run(argv)).code === 0 && performance.now() < deadline)
      await Bun.sleep(POLL_MS);
  }

  /** `code` is null where the program of the manager cannot be run. */
  async #run(
    argv: readonly string[],
  ): Promise<{ code: number | null; stdout: string; why: string }> {
    const { env } = this.#deps;
    try {
      const { code, stdout, stderr } = await run(argv, {
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_OUTPUT_BYTES,
        ...(env ? { env } : {}),
      });
      const why = stderr.trim().split("\n")[0] || `it ended with ${code}`;
      return { code, stdout: new TextDecoder().decode(stdout), why };
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      return { code: null, stdout: "", why: error.message };
    }
  }
}
