import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentHome } from "../../src/agents/logs/homes.ts";

async function temporary() {
  const path = await mkdtemp(join(tmpdir(), "panewatch-home-"));
  return {
    path,
    async file(name: string, changedAt?: number) {
      const full = join(path, name);
      await mkdir(dirname(full), { recursive: true });
      await writeFile(full, "{}\n");
      if (changedAt !== undefined) await utimes(full, changedAt, changedAt);
      return full;
    },
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
    },
  };
}

const seconds = () => Date.now() / 1000;

test("any log below the home is found, whatever its folder is called", async () => {
  await using home = await temporary();
  await home.file("projects/-a/one.jsonl", 100);
  await home.file("sessions/2027/01/02/two.jsonl", 300);
  await home.file("three.jsonl", 200);
  await home.file("projects/-a/notes.txt");
  await home.file("worktrees/x/data.jsonl");
  const found = await new AgentHome({ path: home.path, uid: null, now: seconds }).look();
  expect(found.map(({ path }) => path.slice(home.path.length + 1))).toEqual([
    "sessions/2027/01/02/two.jsonl",
    "three.jsonl",
    "projects/-a/one.jsonl",
  ]);
});

test("the newest 250 are followed", async () => {
  await using home = await temporary();
  for (let i = 0; i < 260; i++) await home.file(`projects/${i}.jsonl`, 1000 + i);
  const found = await new AgentHome({ path: home.path, uid: null, now: seconds }).look();
  expect(found).toHaveLength(250);
  expect(found.at(-1)?.changed).toBe(1010);
});

test("a log that appears, and one that goes, are seen at the next look", async () => {
  await using home = await temporary();
  const first = await home.file("projects/a/1.jsonl");
  const agents = new AgentHome({ path: home.path, uid: null, now: seconds });
  expect(await agents.look()).toHaveLength(1);
  await home.file("projects/b/2.jsonl");
  expect(await agents.look()).toHaveLength(2);
  await rm(first);
  expect(await agents.look()).toHaveLength(1);
});

test("a home of another user is not read, nor is a link out of it", async () => {
  await using home = await temporary();
  await using other = await temporary();
  const outside = await other.file("secret.jsonl");
  await home.file("projects/1.jsonl");
  await symlink(outside, join(home.path, "projects", "2.jsonl"));
  await symlink(other.path, join(home.path, "linked"));
  const ours = new AgentHome({ path: home.path, uid: process.getuid?.() ?? null, now: seconds });
  expect((await ours.look()).map(({ path }) => path)).toEqual([
    join(home.path, "projects", "1.jsonl"),
  ]);
  const foreign = new AgentHome({ path: home.path, uid: 12_345_678, now: seconds });
  expect(await foreign.look()).toEqual([]);
  expect(foreign.state).toBe("foreign");
});

test("a home that is not there says so and is found once it is", async () => {
  await using home = await temporary();
  const agents = new AgentHome({ path: join(home.path, "later"), uid: null, now: seconds });
  expect(await agents.look()).toEqual([]);
  expect(agents.state).toBe("missing");
  await home.file("later/1.jsonl");
  expect(await agents.look()).toHaveLength(1);
  expect(agents.state).toBe("ok");
});
