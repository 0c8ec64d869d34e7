import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteWord } from "../lib/words.ts";
import { MACHINES } from "./panes.ts";
import { SampleServer } from "./server.ts";
import { findSshd, makeKey, makeRunFolder, SshFolder } from "./ssh.ts";

export interface Machines {
  command: (name: string) => string[];
  /** As the configuration has them. */
  hosts: readonly { name: string; ssh: string; roots: { label: string; path: string }[] }[];
  stop(): Promise<void>;
}

/**
 * Each has a tmux server, and a server of its own for each connection: ssh starts an sshd and talks
 * to it through a pipe, so that nothing listens anywhere, and none outlives its connection.
 * @throws StartupError where there is no sshd
 */
export async function openMachines(
  folder: string,
  start: { self: readonly string[]; pace: number },
): Promise<Machines> {
  const sshd = findSshd();
  await makeRunFolder();
  const ssh = new SshFolder(join(folder, "ssh"));
  await mkdir(ssh.path, { mode: 0o700 });
  await makeKey(ssh.file("key"));
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
    await makeKey(ssh.file(`${name}.host`));
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
    hosts: MACHINES.map(({ name }) => ({
      name,
      ssh: name,
      roots: [{ label: "code", path: join(folder, name, "code") }],
    })),
    stop,
  };
}
