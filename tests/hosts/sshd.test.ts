import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHost } from "../../src/hosts/check.ts";
import type { Link } from "../../src/hosts/link.ts";
import { run } from "../../src/lib/run.ts";
import { tmuxFault } from "../../src/multiplexer.ts";
import type { HostStep } from "../../src/protocol/hosts.ts";
import { settled, startLink } from "../support/remote-link.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { shellsHere } from "../support/shells.ts";
import { until } from "../support/until.ts";

const lab = await SshLab.open();
const tmux = await PrivateTmux.start();
await lab.host("box", { tmux: tmux.folder });
await lab.host("other", { tmux: tmux.folder });
beforeEach(() => lab.know("box"));
afterAll(async () => {
  await lab.stop();
  await tmux.stop();
});

async function ending(name: string): Promise<Link["state"]> {
  const link = startLink(lab.command(name));
  try {
    return await settled(link);
  } finally {
    link.stop();
  }
}

/** Prints every shell of its session, up to the one that sshd has started. */
const SHELLS = `p=$$
while [ "$p" -gt 1 ]; do
set -- $(ps -o ppid=,comm= -p "$p")
case $2 in sshd*) break ;; esac
echo "$p"
p=$1
done`;

const PATIENT = { timeoutMs: 10_000, maxBytes: 4096 };

async function isGone(pid: string): Promise<boolean> {
  const { code } = await run(["ps", "-p", pid], PATIENT);
  return code !== 0;
}

test("a known host that accepts the key is live", async () => {
  expect(await ending("box")).toMatchObject({ status: "live", refusal: null });
});

/** The login shell of an account, which gets the command that ssh was given. */
const LOGIN_SHELLS = ["bash", "dash", "zsh", "fish", "busybox"];

test.each(shellsHere(LOGIN_SHELLS))(
  "a host with %s as login shell and noisy start-up files is live",
  async (shell) => {
    const name = `as-${shell}`;
    const login = `${Bun.which(shell)}${shell === "busybox" ? " sh" : ""}`;
    const start = `echo motd; echo oops >&2; exec ${login} -c "$SSH_ORIGINAL_COMMAND"`;
    await lab.host(name, { tmux: tmux.folder, lines: [`ForceCommand ${start}`] });
    expect(await ending(name)).toMatchObject({ status: "live" });
  },
);

describe("the tmux of an ssh session without a login shell", () => {
  /** A host whose PATH is one folder, with this program as its only tmux. */
  async function host(name: string, program: string | null) {
    await mkdir(lab.path(name));
    if (program !== null) await writeFile(lab.path(`${name}/tmux`), program, { mode: 0o700 });
    const start = `PATH=${lab.path(name)} exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`;
    await lab.host(name, { tmux: tmux.folder, lines: [`ForceCommand ${start}`] });
    return join(lab.homeOf(name), ".local/bin");
  }

  async function refusalOf(name: string) {
    const link = startLink(lab.command(name), { versionFault: tmuxFault });
    const { refusal } = await until(() => (link.state.status === "away" ? link.state : null));
    link.stop();
    return refusal;
  }

  test("is found in the usual folders, though they are not on its PATH", async () => {
    const folder = await host("short-path", null);
    await mkdir(folder, { recursive: true });
    await symlink(Bun.which("tmux") ?? "", join(folder, "tmux"));
    const link = startLink(lab.command("short-path"), { versionFault: tmuxFault });
    await settled(link);
    expect(link.version).toMatch(/^tmux \d/);
    link.stop();
  });

  test.each([
    ["there is none", "bare", null],
    ["it does not run", "broken", "#!/bin/sh\nexit 127\n"],
  ])("is refused as missing where %s", async (_, name, program) => {
    await host(name, program);
    expect(await refusalOf(name)).toMatchObject({ reason: "no_tmux" });
  });

  test("is refused as too old, with the version that is needed", async () => {
    await host("old", "#!/bin/sh\necho tmux 3.1c\n");
    expect(await refusalOf("old")).toEqual({
      reason: "old_tmux",
      detail: "tmux 3.1c; 3.2 or newer is needed",
    });
  });
});

test("an unknown host key is not accepted, and the link is not tried again", async () => {
  await lab.forget("box");
  expect(await ending("box")).toMatchObject({
    status: "away",
    retryAt: null,
    refusal: { reason: "unknown_host_key", detail: "Host key verification failed." },
  });
});

test("a changed host key is refused as such, and the link is not tried again", async () => {
  await lab.know("box", "other");
  expect(await ending("box")).toMatchObject({
    retryAt: null,
    refusal: { reason: "changed_host_key" },
  });
});

test("a key that the host refuses is reported as such, and the link is not tried again", async () => {
  const stranger = await SshLab.open();
  try {
    await stranger.host("box", { tmux: tmux.folder });
    await stranger.know("box");
    await rm(stranger.path("key.pub"));
    const link = startLink(stranger.command("box"));
    const { refusal, retryAt } = await until(() =>
      link.state.status === "away" ? link.state : null,
    );
    link.stop();
    expect(refusal).toMatchObject({
      reason: "refused_key",
      detail: expect.stringContaining("Permission denied"),
    });
    expect(retryAt).toBeNull();
  } finally {
    await stranger.stop();
  }
});

test("an address where nobody listens is unreachable, and is tried again", async () => {
  await lab.host("gone", { tmux: tmux.folder });
  await lab.halt("gone");
  const { refusal, retryAt } = await ending("gone");
  expect(refusal).toMatchObject({ reason: "unreachable" });
  expect(refusal?.detail).toContain("Connection refused");
  expect(retryAt).not.toBeNull();
});

test("a link has one ssh process, and none once it is stopped", async () => {
  const link = startLink(lab.command("box"));
  await settled(link);
  // Those of earlier tests have been told to end, and may take their time.
  await until(async () => (await lab.clients()).length === 1);
  link.stop();
  await until(async () => (await lab.clients()).length === 0);
});

test.each([
  ["answers", []],
  ["stands still", ["-STOP"]],
])("a killed service leaves no ssh and no shell where the host's shell %s", async (_, still) => {
  const source = join(import.meta.dir, "../../src");
  const program = `
    const { Link } = await import(${JSON.stringify(join(source, "hosts/link.ts"))});
    const { systemClock } = await import(${JSON.stringify(join(source, "lib/clock.ts"))});
    const link = new Link({
      command: ${JSON.stringify(lab.command("box"))},
      versionFault: () => null,
      clock: systemClock,
      random: Math.random,
      onChange() {
        if (link.isReady)
          void link.ask("sh", ${JSON.stringify(SHELLS)}, { timeoutMs: 60000, maxBytes: 999 })
            .then(({ stdout }) => console.log(new TextDecoder().decode(stdout).trim().split(/\\s+/).join()));
      },
    });
    link.start();
  `;
  const service = Bun.spawn([process.execPath, "--no-env-file", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await service.stdout.getReader().read();
  const shells = new TextDecoder().decode(value).trim().split(",");
  expect(shells.length).toBeGreaterThan(1);
  for (const signal of still) await run(["kill", signal, ...shells], PATIENT);
  service.kill("SIGKILL");
  await service.exited;
  await until(async () => (await lab.clients()).length === 0);
  if (still.length > 0) await run(["kill", "-CONT", ...shells], PATIENT);
  for (const shell of shells) await until(async () => (await isGone(shell)) || null);
});

describe("the check of a host", () => {
  const check = (command = lab.command("box"), versionFault = () => null) =>
    checkHost("", { command, versionFault });
  const stepNames = (steps: readonly HostStep[]) =>
    steps.map(({ step, ok }) => (ok ? step : `no ${step}`));

  const ALL = ["resolve", "connect", "host_key", "sign_in", "shell", "tmux"];

  test("passes all steps for a host that can be watched, with the version of its tmux", async () => {
    const steps = await check();
    expect(stepNames(steps)).toEqual(ALL);
    expect(steps.at(-1)?.detail).toMatch(/^tmux \d/);
  });

  test("ends at an unknown host key, and does not accept the key", async () => {
    await lab.forget("box");
    const steps = await check();
    expect(stepNames(steps)).toEqual(["resolve", "connect", "no host_key"]);
    expect(steps.at(-1)?.detail).toBe("Host key verification failed.");
    expect(stepNames(await check())).toEqual(["resolve", "connect", "no host_key"]);
  });

  test("ends at the sign-in where the key is refused", async () => {
    await rename(lab.path("key.pub"), lab.path("aside"));
    try {
      const steps = await check();
      expect(stepNames(steps)).toEqual(["resolve", "connect", "host_key", "no sign_in"]);
      expect(steps.at(-1)?.detail).toContain("Permission denied");
    } finally {
      await rename(lab.path("aside"), lab.path("key.pub"));
    }
  });

  test("ends at the connection where nobody listens, or at an unknown name", async () => {
    await lab.halt("gone");
    expect(stepNames(await check(lab.command("gone")))).toEqual(["resolve", "no connect"]);
    const unknown = ["ssh", "-F", "none", "-o", "BatchMode=yes", "nobody.invalid", "exec /bin/sh"];
    expect(stepNames(await check(unknown))).toEqual(["no resolve"]);
  });

  test("ends at a shell that is not ready, or at a tmux that is too old", async () => {
    const [ssh = "", ...rest] = lab.command("box");
    const silent = [ssh, ...rest.slice(0, -1), "exit 3"];
    expect(stepNames(await check(silent))).toEqual([...ALL.slice(0, 4), "no shell"]);
    const old = await checkHost("", {
      command: lab.command("box"),
      versionFault: () => ({ reason: "old_tmux", detail: "tmux 2.9" }),
    });
    expect(stepNames(old)).toEqual([...ALL.slice(0, 5), "no tmux"]);
    expect(old.at(-1)?.detail).toBe("tmux 2.9");
  });

  test("ends at its first step where nothing answers in time", async () => {
    await writeFile(lab.path("silent"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o700 });
    const steps = await checkHost("", {
      command: [lab.path("silent")],
      versionFault: () => null,
      timeoutMs: 50,
    });
    expect(steps).toMatchObject([
      { step: "resolve", ok: false, detail: "no answer within 0.05 s" },
    ]);
  });
});
