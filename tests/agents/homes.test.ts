import { expect, test } from "bun:test";
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AgentHome } from "../../src/agents/logs/homes.ts";
import { temporary } from "../support/temporary.ts";

const clock = { now: () => Date.now() / 1000, monotonic: () => performance.now() / 1000 };

async function openHome() {
  const path = await temporary("home");
  return {
    path,
    agents: (more: Partial<ConstructorParameters<typeof AgentHome>[0]> = {}) =>
      new AgentHome({ path, uid: null, clock, ...more }),
    async file(name: string, changedAt?: number) {
      const full = join(path, name);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, "{}\n");
      if (changedAt !== undefined) utimesSync(full, changedAt, changedAt);
      return full;
    },
  };
}

test("logs are found at any depth below the home, newest first, except in worktrees", async () => {
  const home = await openHome();
  await home.file("projects/-a/one.jsonl", 100);
  await home.file("sessions/2027/01/02/two.jsonl", 300);
  await home.file("three.jsonl", 200);
  await home.file("projects/-a/notes.txt");
  await home.file("worktrees/x/data.jsonl");
  const found = await home.agents().scan();
  expect(found.map(({ path }) => path.slice(home.path.length + 1))).toEqual([
    "sessions/2027/01/02/two.jsonl",
    "three.jsonl",
    "projects/-a/one.jsonl",
  ]);
});

test("a new log and a removed log are noticed at the next scan", async () => {
  const home = await openHome();
  const first = await home.file("projects/a/1.jsonl");
  const agents = home.agents();
  expect(await agents.scan()).toHaveLength(1);
  await home.file("projects/b/2.jsonl");
  expect(await agents.scan()).toHaveLength(2);
  await rm(first);
  expect(await agents.scan()).toHaveLength(1);
});

test("the log of a running process is found again when it moves into a folder without logs", async () => {
  const home = await openHome();
  const id = "0c0c0c0c-0000-4000-8000-000000000001";
  await home.file("projects/later/kept.txt");
  const first = await home.file(`projects/a/${id}.jsonl`);
  let seconds = 0;
  const agents = home.agents({ clock: { ...clock, monotonic: () => seconds } });
  expect(await agents.scan([id])).toHaveLength(1);
  await rm(first);
  seconds += 5;
  expect(await agents.scan([id])).toHaveLength(0);
  await home.file(`projects/later/${id}.jsonl`);
  seconds += 5;
  expect(await agents.scan([id])).toHaveLength(1);
});

test("a home of another user is not read, nor is a link that leads out of the home", async () => {
  const home = await openHome();
  const other = await openHome();
  const outside = await other.file("secret.jsonl");
  await home.file("projects/1.jsonl");
  await symlink(outside, join(home.path, "projects", "2.jsonl"));
  await symlink(other.path, join(home.path, "linked"));
  const ours = home.agents({ uid });
  expect((await ours.scan()).map(({ path }) => path)).toEqual([
    join(home.path, "projects", "1.jsonl"),
  ]);
  const foreign = home.agents({ uid: 12_345_678 });
  expect(await foreign.scan()).toEqual([]);
  expect(foreign.state).toBe("foreign");
});

test("an absent home is reported as missing, and is read once it exists", async () => {
  const home = await openHome();
  const agents = home.agents({ path: join(home.path, "later") });
  expect(await agents.scan()).toEqual([]);
  expect(agents.state).toBe("missing");
  await home.file("later/1.jsonl");
  expect(await agents.scan()).toHaveLength(1);
  expect(agents.state).toBe("ok");
});

const uid = process.getuid?.() ?? null;
const ID = (n: number) => `01a20060-0000-4000-8000-${String(n).padStart(12, "0")}`;

test("logs of sub-agents take no place among the followed logs, and folders of other files are not searched", async () => {
  const home = await openHome();
  for (let i = 0; i < 240; i++) await home.file(`projects/a/${i}.jsonl`, 1000 + i);
  for (let i = 0; i < 50; i++) {
    await home.file(`projects/a/subagents/agent-${i}.jsonl`, 5000 + i);
    await home.file(`session-env/${i}/x.jsonl`, 5000 + i);
    await home.file(`file-history/${i}/x.jsonl`, 5000 + i);
  }
  const aside = [];
  for (let i = 0; i < 50; i++) aside.push(await home.file(`projects/a/agent-${i}.jsonl`, 6000 + i));
  const agents = home.agents();
  for (const log of await agents.scan()) if (aside.includes(log.path)) agents.exclude(log);
  const found = await agents.scan();
  expect(found).toHaveLength(240);
  expect(found.every(({ path }) => /projects\/a\/\d+\.jsonl$/.test(path))).toBe(true);
});

test("the newest 250 logs are followed, and any older log that a running process names", async () => {
  const home = await openHome();
  for (let i = 0; i < 260; i++) await home.file(`projects/a/${ID(i)}.jsonl`, 1000 + i);
  const agents = home.agents();
  const newest = await agents.scan();
  expect([newest.length, newest.at(-1)?.changed]).toEqual([250, 1010]);
  const path = await home.file(`projects/a/${ID(3)}.jsonl`);
  writeFileSync(path, "{}\n{}\n");
  utimesSync(path, 1003, 1003);
  const found = await agents.scan([ID(3)]);
  expect(found.find((log) => log.path === path)?.size).toBe(6);
  expect((await agents.scan()).some((log) => log.path === path)).toBe(false);
});

test("linked project folders of the same user are read once each, also when a link leads back to the home", async () => {
  const home = await openHome();
  const elsewhere = await openHome();
  await elsewhere.file("work/1.jsonl");
  await home.file("projects/own/2.jsonl");
  await symlink(join(elsewhere.path, "work"), join(home.path, "projects", "work"));
  await symlink(join(elsewhere.path, "work"), join(home.path, "projects", "again"));
  await symlink(home.path, join(home.path, "projects", "round"));
  const agents = home.agents({ uid });
  const names = async () => (await agents.scan()).map(({ path }) => basename(path)).toSorted();
  expect(await names()).toEqual(["1.jsonl", "2.jsonl"]);
  expect(await names()).toEqual(["1.jsonl", "2.jsonl"]);
});

test("a new log is found at once in a new folder, beside followed logs, or when a running process names it", async () => {
  const home = await openHome();
  let now = 0;
  const agents = home.agents({ uid, clock: { ...clock, monotonic: () => now } });
  for (let i = 0; i < 250; i++) await home.file(`projects/hot/${i}.jsonl`, 5000 + i);
  await home.file("projects/cold/old.jsonl", 1000);
  await agents.scan();
  now += 4;
  const beside = await home.file("projects/hot/new.jsonl");
  const folder = await home.file("projects/made/new.jsonl");
  const cold = await home.file(`projects/cold/${ID(1)}.jsonl`);
  const paths = async (live: string[] = []) => (await agents.scan(live)).map(({ path }) => path);
  expect(await paths()).toContain(beside);
  expect(await paths()).toContain(folder);
  expect(await paths()).not.toContain(cold);
  expect(await paths([ID(1)])).toContain(cold);
});
