import { expect, test } from "bun:test";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HostState } from "../../src/protocol/hosts.ts";
import { shellScript } from "../support/shell-script.ts";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

const stage = await HostStage.open();
const { lab, hostIs } = stage;
/** Where each `ps` that hangs on `slow` writes its process id. */
const hanging = lab.path("hanging");
await writeFile(hanging, "");
await mkdir(lab.path("bin"));
await shellScript(lab.path("bin/ps"), `echo $$ >> '${hanging}'\nexec sleep 1013`);
const start = `PATH=${lab.path("bin")}:$PATH exec /bin/sh -c "$SSH_ORIGINAL_COMMAND"`;
const slow = await stage.host("slow", { lines: [`ForceCommand ${start}`] });
const stuck = await stage.host("stuck");
const service = await stage.begin();

async function host(name: string): Promise<HostState> {
  const found = (await stage.hosts()).find((each) => each.name === name);
  if (!found) throw new Error(`no host ${name}`);
  return found;
}

const reportsOf = (name: string) => service.log.filter((line) => line.includes(` host ${name} is`));

const isAlive = (pid: string) =>
  readFile(`/proc/${pid}/stat`).then(
    () => true,
    () => false,
  );

/** Clients of tmux in the environment of this host. */
async function clientsOf(folder: string): Promise<string[]> {
  const read = (pid: string, name: string) =>
    readFile(join("/proc", pid, name), "utf8").catch(() => "");
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const args = await read(pid, "cmdline");
      const isClient = args.startsWith("tmux\0-u\0source-file");
      return isClient && (await read(pid, "environ")).includes(folder) ? [pid] : [];
    }),
  );
  return found.flat();
}

test("a ps that hangs on a host neither ends the link nor delays an answer, and is killed there", async () => {
  const { since } = await hostIs("slow", "live");
  await until(async () => (await readFile(hanging, "utf8")) !== "");
  const pids = async () => (await readFile(hanging, "utf8")).trim().split("\n");
  const [first = ""] = await pids();
  expect(await isAlive(first)).toBe(true);
  const text = "echo $((40+2))-typed";
  const { status } = await stage.post("/api/text", { id: "%1000000", text, enter: true });
  expect(status).toBe(200);
  await until(async () => (await slow.screen("%0")).includes("42-typed"));
  // The `ps` is killed on the host, and no other is started.
  await until(async () => !(await isAlive(first)));
  const killedAt = Date.now();
  await until(async () => (await host("slow")).read_at * 1000 > killedAt);
  expect(await pids()).toEqual([first]);
  expect(await host("slow")).toMatchObject({ status: "live", since, reason: null });
  expect(reportsOf("slow")).toHaveLength(1);
});

test("a host whose tmux stands still is away until it goes on, logged once, without clients left there", async () => {
  await hostIs("stuck", "live");
  const pid = Number(await stuck.format("%0", "#{pid}"));
  process.kill(pid, "SIGSTOP");
  const seen = new Set<string>();
  try {
    const { since } = await hostIs("stuck", "away");
    const before = reportsOf("stuck").length;
    // The next attempt fails as well.
    for (const wanted of ["connecting", "away"] as const)
      await until(async () => {
        const { status, since } = await host("stuck");
        seen.add(`${status} since ${since}`);
        return status === wanted || null;
      });
    expect([...seen].toSorted()).toEqual([`away since ${since}`, `connecting since ${since}`]);
    expect(reportsOf("stuck").length).toBeLessThanOrEqual(before + 1);
    await until(async () => (await clientsOf(stuck.folder)).length <= 1);
  } finally {
    process.kill(pid, "SIGCONT");
  }
  // Without a person, the next attempt waits longer every time.
  await stage.post("/api/hosts/stuck/retry", {});
  await hostIs("stuck", "live");
});
