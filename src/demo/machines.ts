import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../errors.ts";
import { linkCommand } from "../hosts/remote-shell.ts";
import { run, RunError } from "../lib/run.ts";
import { quoteWord } from "../lib/words.ts";
import { MACHINES, SampleServer } from "./server.ts";

export type SampleMachines = Awaited<ReturnType<typeof openMachines>>;

/**
 * Each machine has a tmux server, and an sshd for each connection: ssh starts it and talks to it through
 * a pipe, so that nothing listens, and no sshd outlives its connection.
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
  const knownHosts: string[] = [];
  const servers: SampleServer[] = [];
  for (const machine of MACHINES) {
    const { name } = machine;
    const home = join(folder, name);
    // The default place of tmux there.
    const sockets = join(home, `tmux-${process.getuid?.() ?? 0}`);
    await mkdir(sockets, { recursive: true, mode: 0o700 });
    servers.push(new SampleServer(home, { ...start, machine, socket: join(sockets, "default") }));
    await makeSshKey(ssh.file(`${name}.host`));
    knownHosts.push(`${name} ${await readFile(ssh.file(`${name}.host.pub`), "utf8")}`);
    const lines = ssh.serverLines(name, { TMUX_TMPDIR: home, HOME: home });
    await Bun.write(ssh.file(`${name}.conf`), `${lines.join("\n")}\n`);
    const serve = `${quoteWord(sshd)} -i -f ${quoteWord(ssh.file(`${name}.conf`))}`;
    config.push(`Host ${name}`, `  HostKeyAlias ${name}`, `  ProxyCommand ${serve}`);
  }
  await Bun.write(ssh.file("known_hosts"), knownHosts.join(""));
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
    /** For the configuration. */
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

/** Only the `PATH` of root has these folders everywhere. */
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

/** Without a passphrase, in `file` and `file.pub`. */
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

  /** Settings of an sshd that accepts the key of this folder and nothing else. */
  serverLines(name: string, environment: Readonly<Record<string, string>>): string[] {
    const set = Object.entries(environment).map(([key, value]) => quote(`${key}=${value}`));
    return [
      `HostKey ${quote(this.file(`${name}.host`))}`,
      `AuthorizedKeysFile ${quote(this.file("key.pub"))}`,
      "StrictModes no",
      "PidFile none",
      "UsePAM no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      `SetEnv ${set.join(" ")}`,
    ];
  }

  /** Settings of ssh that leave out the person's own keys and hosts. */
  clientLines(): string[] {
    return [
      "Host *",
      "  HostName 127.0.0.1",
      `  UserKnownHostsFile ${quote(this.file("known_hosts"))}`,
      "  GlobalKnownHostsFile /dev/null",
      `  IdentityFile ${quote(this.file("key"))}`,
      "  IdentitiesOnly yes",
      "  IdentityAgent none",
    ];
  }

  /** The command line of a link, with the file `config` of this folder. */
  command = (name: string): string[] => {
    const [ssh = "", ...rest] = linkCommand(name);
    return [ssh, "-F", this.file("config"), ...rest];
  };
}

const quote = (word: string): string => `"${word}"`;
