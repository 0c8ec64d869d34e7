import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { findSshd } from "../../src/demo/machines.ts";
import { StateFrame } from "../../src/protocol/frames.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { becomes } from "../support/becomes.ts";
import { readUntil } from "../support/child.ts";
import { isAlive } from "../support/strays.ts";
import { PANEWATCH } from "../support/program.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";
import { jsonRequest } from "../support/json.ts";

function start(tmp: string) {
  return Bun.spawn([...PANEWATCH, "demo", "--hosts", "--port", "0"], {
    // As bare as an environment can be: no LANG, SHELL, TERM, USER or HOME of a person.
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent", TMPDIR: tmp },
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

test("two sample machines are watched over real ssh, answered, and gone with the demo", async () => {
  const tmp = await temporary("demo-hosts");
  const demo = start(tmp);
  try {
    const printed = await readUntil(demo.stdout, /http:\S+\n/);
    // The demo prints neither a state folder nor a hint for phones.
    expect(printed).not.toMatch(/State|phone/);
    const url = /http:\/\/[\w.:]+/.exec(printed)?.[0] ?? "";
    const folder = await folderIn(tmp);
    const state = async () => StateFrame.parse(await (await fetch(`${url}/api/state`)).json());
    const asking = (host: string) =>
      until(async () =>
        (await state()).panes.find((pane) => pane.host === host && pane.menu.length > 0),
      );
    const [nightly, ranking] = [await asking("buildbox"), await asking("gpu-1")];
    expect([nightly.kind, ranking.kind]).toEqual(["agent_a", "agent_b"]);
    await becomes(
      async () => (await state()).hosts?.map(({ name, status }) => [name, status]),
      [
        ["laptop", "live"],
        ["buildbox", "live"],
        ["gpu-1", "live"],
      ],
    );
    const answer = await fetch(
      `${url}/api/select`,
      jsonRequest("POST", { id: nightly.id, key: "1" }),
    );
    expect(await answer.json()).toEqual({ ok: true });
    const asked = fingerprint(nightly);
    await until(async () => {
      const pane = (await state()).panes.find(({ id, stale }) => id === nightly.id && !stale);
      // It works for a few seconds only, and then asks for the next command.
      const asksAnew = pane && pane.menu.length > 0 && fingerprint(pane) !== asked;
      return asksAnew || pane?.status === "working";
    });
    const started = await withBothSshd(demo.pid);
    demo.kill("SIGINT");
    expect(await demo.exited).toBe(0);
    expect(existsSync(folder)).toBe(false);
    await until(() => started.every(({ pid }) => !isAlive(pid)));
  } finally {
    demo.kill("SIGKILL");
  }
});

test("a killed demo leaves no folder and no process of its machines", async () => {
  const tmp = await temporary("demo-hosts");
  const demo = start(tmp);
  await readUntil(demo.stdout, /http:\S+\n/);
  const folder = await folderIn(tmp);
  const started = await withBothSshd(demo.pid);
  demo.kill("SIGKILL");
  await until(() => (existsSync(folder) ? null : true));
  await until(() => started.every(({ pid }) => !isAlive(pid)));
});

test("a demo with hosts names the package to install where sshd is missing", () => {
  expect(() => findSshd("/nonexistent")).toThrow(/apt-get install openssh-server$/);
});

const fingerprint = ({ legacy_guard }: PaneState) => legacy_guard?.prompt_fingerprint;

function withBothSshd(pid: number) {
  return until(async () => {
    const found = await startedBy(pid);
    return found.filter(({ name }) => name.startsWith("sshd")).length >= 2 ? found : null;
  });
}

async function folderIn(tmp: string): Promise<string> {
  const found = (await readdir(tmp)).filter((name) => name.startsWith("panewatch-demo-"));
  expect(found).toHaveLength(1);
  return join(tmp, found[0] ?? "");
}

interface Started {
  pid: number;
  name: string;
}

/** The processes below one. */
async function startedBy(parent: number): Promise<Started[]> {
  const listed = await Bun.$`ps -A -o pid=,ppid=,comm=`.text();
  const rows = listed.split("\n").map((line) => line.trim().split(/\s+/));
  const found: Started[] = [{ pid: parent, name: "" }];
  for (const { pid } of found)
    for (const [child = "", of = "", name = ""] of rows)
      if (Number(of) === pid) found.push({ pid: Number(child), name });
  return found.slice(1);
}
