import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../errors.ts";
import { linkCommand } from "../hosts/remote-shell.ts";
import { run, RunError } from "../lib/run.ts";
import { quoteWord } from "../lib/words.ts";
import { MACHINES, SampleServer } from "./server.ts";

export type SampleMachines = Awaited<ReturnType<typeof openMachines>>;

/**
 * Each has a tmux server, and a server of its own for each connection: ssh starts an sshd and talks
 * to it through a pipe, so that nothing listens anywhere, and none outlives its connection.
 * @throws StartupError where there is no sshd
 */
export async function openMachines(
  folder: string,
  start: { self: readonly string[]; pace: number },
) {
  const sshd = findSshd();
  await makeRunFolder();
  const ssh = new SshFolder(join(folder, "ssh"));
  await mkdir(ssh.path, { mode: 0o700 });
  await makeSshKey(ssh.file("key"));
  const config: string[] = [];
  const known: string[] = [];
  const servers: SampleServer[] = [];
  for (const machine of MACHINES) {
    const { name } = machine;
    const home = join(folder, name);
    // Where tmux there looks by itself.
    const sockets = join(home, `tmux-${process.getuid?.() ?? 0}`);
    await mkdir(sockets, { recursive: true, mode: 0o700 });
    servers.push(new SampleServer(home, { ...start, machine, socket: join(sockets, "default") }));
    await makeSshKey(ssh.file(`${name}.host`));
    known.push(`${name} ${await readFile(ssh.file(`${name}.host.pub`), "utf8")}`);
    const lines = ssh.serverLines(name, { TMUX_TMPDIR: home, HOME: home });
    await Bun.write(ssh.file(`${name}.conf`), `${lines.join("\n")}\n`);
    const serve = `${quoteWord(sshd)} -i -f ${quoteWord(ssh.file(`${name}.conf`))}`;
    config.push(`Host ${name}`, `  HostKeyAlias ${name}`, `  ProxyCommand ${serve}`);
  }
  await Bun.write(ssh.file("known_hosts"), known.join(""));
  await Bun.write(ssh.file("config"), `${[...config, ...ssh.clientLines()].join("\n")}\n`);
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())));
  try {
    for (const server of servers) await server.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    command: ssh.command,
    /** As the configuration has them. */
    hosts: MACHINES.map(({ name }) => ({
      name,
      ssh: name,
      roots: [{ label: "code", path: join(folder, name, "code") }],
    })),
    stop,
  };
}

const TIMEOUT_MS = 30_000;
const MISSING =
  "sample machines need an OpenSSH server: install it first, on Debian: apt-get install openssh-server";

/** Where it is, though no `PATH` but root's leads there. */
const PLACES = `${process.env.PATH ?? ""}:/usr/sbin:/usr/local/sbin:/sbin`;

/** @throws StartupError where there is none */
export function findSshd(PATH = PLACES): string {
  const sshd = Bun.which("sshd", { PATH });
  if (sshd === null) throw new StartupError(MISSING);
  return sshd;
}

/** As root, sshd does not start without this folder, which a boot of the system makes. */
export async function makeRunFolder(): Promise<void> {
  if (process.getuid?.() === 0) await mkdir("/run/sshd", { recursive: true });
}

/** A key pair that nobody has to unlock, in `file` and `file.pub`. */
export async function makeSshKey(file: string): Promise<void> {
  await rm(file, { force: true });
  const argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file];
  const { code, stderr } = await run(argv, { timeoutMs: TIMEOUT_MS, maxBytes: 64 * 1024 }).catch(
    (cause: unknown) => {
      const isMissing = cause instanceof RunError && cause.kind === "not_found";
      if (isMissing) throw new StartupError(MISSING, { cause });
      throw cause;
    },
  );
  if (code !== 0) throw new Error(`ssh-keygen: ${stderr.trim()}`);
}

export class SshFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** What an sshd is told that lets in who has the key of this folder, and nobody else. */
  serverLines(name: string, environment: Readonly<Record<string, string>>): string[] {
    const set = Object.entries(environment).map(([key, value]) => quoted(`${key}=${value}`));
    return [
      `HostKey ${quoted(this.file(`${name}.host`))}`,
      `AuthorizedKeysFile ${quoted(this.file("key.pub"))}`,
      "StrictModes no",
      "PidFile none",
      "UsePAM no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      `SetEnv ${set.join(" ")}`,
    ];
  }

  /** What ssh is told of every host, so that nothing of the person's own takes part. */
  clientLines(): string[] {
    return [
      "Host *",
      "  HostName 127.0.0.1",
      `  UserKnownHostsFile ${quoted(this.file("known_hosts"))}`,
      "  GlobalKnownHostsFile /dev/null",
      `  IdentityFile ${quoted(this.file("key"))}`,
      "  IdentitiesOnly yes",
      "  IdentityAgent none",
    ];
  }

  /** The command line of a link, over the file `config` of this folder. */
  command = (name: string): string[] => {
    const [ssh = "", ...rest] = linkCommand(name);
    return [ssh, "-F", this.file("config"), ...rest];
  };
}

const quoted = (word: string): string => `"${word}"`;
