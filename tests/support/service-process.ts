import { join } from "node:path";

const ENTRY = join(import.meta.dir, "served.ts");

/** The service in a process of its own, which can be killed; its state is beside its configuration. */
export class ServiceProcess {
  readonly url: string;
  readonly #child: Bun.Subprocess<"ignore", "pipe", "inherit">;

  private constructor(child: Bun.Subprocess<"ignore", "pipe", "inherit">, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @param assets folder of the built web client */
  static async start(configPath: string, assets: string): Promise<ServiceProcess> {
    const argv = [process.execPath, "--no-env-file", ENTRY, configPath, assets];
    const child = Bun.spawn(argv, { stdio: ["ignore", "pipe", "inherit"] });
    return new ServiceProcess(child, await urlOf(child.stdout));
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    this.#child.kill(signal);
    await this.#child.exited;
  }
}

async function urlOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of output) {
    text += new TextDecoder().decode(chunk);
    const url = /http:\/\/\S+/.exec(text)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`the service ended before it listened: ${text}`);
}
