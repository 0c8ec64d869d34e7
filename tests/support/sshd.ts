import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeSshKey, makeRunFolder, SshFolder } from "../../src/demo/machines.ts";
import { run } from "../../src/lib/run.ts";
import { freePort } from "./free-port.ts";
import { signal } from "./strays.ts";
import { until } from "./until.ts";

const SSHD = "/usr/sbin/sshd";

/**
 * Machines that real OpenSSH reaches: an sshd each, on loopback, with keys and configuration of
 * their own in a temporary folder. `stop()` belongs into `afterAll`.
 */
export class SshLab {
  readonly folder: string;
  readonly #ssh: SshFolder;
  readonly #servers = new Map<string, Server>();

  private constructor(folder: string) {
    this.folder = folder;
    this.#ssh = new SshFolder(folder);
  }

  static async open(): Promise<SshLab> {
    const folder = await mkdtemp(join(tmpdir(), "panewatch-ssh-"));
    const lab = new SshLab(folder);
    await lab.makeKey("key");
    await writeFile(lab.path("known_hosts"), "");
    await makeRunFolder();
    return lab;
  }

  path(name: string): string {
    return this.#ssh.file(name);
  }

  /** The home folder there: a login shell runs none of the start-up files of this machine. */
  homeOf(name: string): string {
    return this.path(`${name}.home`);
  }

  /** `tmux`: the folder of its sockets there. */
  async host(name: string, options: { tmux: string; lines?: readonly string[] }): Promise<void> {
    const port = freePort();
    await mkdir(this.homeOf(name), { recursive: true });
    await this.makeKey(`${name}.host`);
    const lines = [
      `Port ${port}`,
      "ListenAddress 127.0.0.1",
      ...this.#ssh.serverLines(name, { TMUX_TMPDIR: options.tmux, HOME: this.homeOf(name) }),
      ...(options.lines ?? []),
    ];
    await writeFile(this.path(`${name}.conf`), `${lines.join("\n")}\n`);
    await this.know(name);
    const server = { port, child: this.#serve(name) };
    this.#servers.set(name, server);
    await this.#writeConfig();
    await until(async () => (await this.#isListening(port)) || null);
  }

  /** Puts its host key into known_hosts. */
  async know(name: string, keyOf = name): Promise<void> {
    const [type, key] = (await readFile(this.path(`${keyOf}.host.pub`), "utf8")).split(" ");
    const known = (await readFile(this.path("known_hosts"), "utf8")).split("\n");
    const others = known.filter((line) => line !== "" && !line.startsWith(`${name} `));
    const lines = [...others, `${name} ${type} ${key}`];
    await writeFile(this.path("known_hosts"), `${lines.join("\n")}\n`);
  }

  async forget(name: string): Promise<void> {
    const known = (await readFile(this.path("known_hosts"), "utf8")).split("\n");
    const lines = known.filter((line) => !line.startsWith(`${name} `));
    await writeFile(this.path("known_hosts"), lines.join("\n"));
  }

  portOf(name: string): number {
    return this.#serverOf(name).port;
  }

  /** Every ssh that was started over this folder's configuration. */
  async clients(): Promise<string[]> {
    const lines = await processRows("args=");
    return lines.filter((line) => /^(\S*\/)?ssh /.test(line) && line.includes(this.path("config")));
  }

  /** The command line of a link to it, over this folder's configuration. */
  command = (name: string): string[] => this.#ssh.command(name);

  /** All of its sessions, and who lets new ones in, stand still; `thaw` ends that. */
  async freeze(name: string): Promise<void> {
    await this.#signal(name, "SIGSTOP");
  }

  async thaw(name: string): Promise<void> {
    await this.#signal(name, "SIGCONT");
  }

  /** It is gone, as if its cable was pulled; `boot` brings it back. */
  async halt(name: string): Promise<void> {
    await this.#signal(name, "SIGKILL");
    const { child, port } = this.#serverOf(name);
    await child.exited;
    // A session that it had just let in holds its socket until that has ended, too.
    await until(async () => !(await this.#isListening(port)));
  }

  async boot(name: string): Promise<void> {
    const server = this.#serverOf(name);
    server.child = this.#serve(name);
    await until(async () => (await this.#isListening(server.port)) || null);
  }

  async makeKey(name: string): Promise<void> {
    await makeSshKey(this.path(name));
  }

  async stop(): Promise<void> {
    for (const name of this.#servers.keys()) await this.halt(name);
    await rm(this.folder, { recursive: true, force: true });
  }

  #serverOf(name: string): Server {
    const server = this.#servers.get(name);
    if (!server) throw new Error(`no host ${name}`);
    return server;
  }

  #serve(name: string) {
    const argv = [SSHD, "-D", "-f", this.path(`${name}.conf`), "-E", this.path(`${name}.log`)];
    return Bun.spawn(argv, { stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  }

  async #writeConfig(): Promise<void> {
    const hosts = [...this.#servers].flatMap(([name, { port }]) => [
      `Host ${name}`,
      `  Port ${port}`,
      `  HostKeyAlias ${name}`,
    ]);
    const lines = [...hosts, ...this.#ssh.clientLines()];
    await writeFile(this.path("config"), `${lines.join("\n")}\n`);
  }

  async #isListening(port: number): Promise<boolean> {
    try {
      const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } });
      socket.end();
      return true;
    } catch {
      return false;
    }
  }

  async #signal(name: string, what: "SIGSTOP" | "SIGCONT" | "SIGKILL"): Promise<void> {
    const listener = this.#serverOf(name).child.pid;
    // It lets nobody in while its sessions are counted.
    if (what !== "SIGCONT") signal(listener, "SIGSTOP");
    for (const pid of [...(await sessionsOf(listener)), listener]) signal(pid, what);
  }
}

interface Server {
  port: number;
  child: ReturnType<typeof Bun.spawn>;
}

/** The processes of sshd below its listener, and no shell or tmux of theirs. */
async function sessionsOf(listener: number): Promise<number[]> {
  const lines = await processRows("pid=,ppid=,comm=");
  const rows = lines.map((line) => line.trim().split(/\s+/));
  const found = [listener];
  for (const parent of found)
    for (const [pid = "", of = "", program = ""] of rows)
      if (Number(of) === parent && program.startsWith("sshd")) found.push(Number(pid));
  return found.slice(1);
}

/** Of every process, a line each. */
async function processRows(columns: string): Promise<string[]> {
  const limits = { timeoutMs: 10_000, maxBytes: 4 * 1024 * 1024 };
  const { stdout } = await run(["ps", "-A", "-ww", "-o", columns], limits);
  return new TextDecoder().decode(stdout).split("\n");
}
