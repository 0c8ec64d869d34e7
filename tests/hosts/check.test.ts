import { afterAll, beforeEach, expect, test } from "bun:test";
import { rename, writeFile } from "node:fs/promises";
import { checkHost } from "../../src/hosts/check.ts";
import type { HostStep } from "../../src/protocol/hosts.ts";
import { SshLab } from "../support/sshd.ts";
import { PrivateTmux } from "../support/tmux.ts";

const lab = await SshLab.open();
const tmux = await PrivateTmux.idle();
await lab.host("box", { tmux: tmux.folder });
await lab.host("other", { tmux: tmux.folder });
beforeEach(() => lab.know("box"));
afterAll(async () => {
  await lab.stop();
  await tmux.stop();
});

const check = (command = lab.command("box"), versionFault = () => null) =>
  checkHost("", { command, versionFault });
const told = (steps: readonly HostStep[]) =>
  steps.map(({ step, ok }) => (ok ? step : `no ${step}`));

const ALL = ["resolve", "connect", "host_key", "sign_in", "shell", "tmux"];

test("a host that can be watched has taken every step, and its tmux says which it is", async () => {
  const steps = await check();
  expect(told(steps)).toEqual(ALL);
  expect(steps.at(-1)?.detail).toMatch(/^tmux \d/);
});

test("a host key that nobody has accepted ends it there, and is not accepted", async () => {
  await lab.forget("box");
  const steps = await check();
  expect(told(steps)).toEqual(["resolve", "connect", "no host_key"]);
  expect(steps.at(-1)?.detail).toBe("Host key verification failed.");
  expect(told(await check())).toEqual(["resolve", "connect", "no host_key"]);
});

test("a key that is not taken ends it there", async () => {
  await rename(lab.path("key.pub"), lab.path("aside"));
  try {
    const steps = await check();
    expect(told(steps)).toEqual(["resolve", "connect", "host_key", "no sign_in"]);
    expect(steps.at(-1)?.detail).toContain("Permission denied");
  } finally {
    await rename(lab.path("aside"), lab.path("key.pub"));
  }
});

test("nobody at the address, or no such name, ends it there", async () => {
  await lab.halt("other");
  expect(told(await check(lab.command("other")))).toEqual(["resolve", "no connect"]);
  const unknown = ["ssh", "-F", "none", "-o", "BatchMode=yes", "nobody.invalid", "exec /bin/sh"];
  expect(told(await check(unknown))).toEqual(["no resolve"]);
});

test("a shell that says nothing, and no tmux, are steps of their own", async () => {
  const [ssh = "", ...rest] = lab.command("box");
  const silent = [ssh, ...rest.slice(0, -1), "exit 3"];
  expect(told(await check(silent))).toEqual([...ALL.slice(0, 4), "no shell"]);
  const old = await checkHost("", {
    command: lab.command("box"),
    versionFault: () => ({ reason: "old_tmux", detail: "tmux 2.9" }),
  });
  expect(told(old)).toEqual([...ALL.slice(0, 5), "no tmux"]);
  expect(old.at(-1)?.detail).toBe("tmux 2.9");
});

test("who never answers is given up", async () => {
  await writeFile(lab.path("silent"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o700 });
  const steps = await checkHost("", {
    command: [lab.path("silent")],
    versionFault: () => null,
    timeoutMs: 50,
  });
  expect(steps).toMatchObject([{ step: "resolve", ok: false, detail: "no answer within 0.05 s" }]);
});
