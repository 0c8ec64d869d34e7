import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { until } from "../support/until.ts";
import { temporary } from "../support/temporary.ts";
import { EXECUTABLE, readUntil } from "../support/child.ts";
import { jsonRequest } from "../support/json.ts";

interface Pane {
  id: string;
  name: string;
  kind: string;
  status: string;
  question: string | null;
  lines: string[];
}

test("the demo shows its panes, reacts to an answer, and leaves nothing behind", async () => {
  // As bare as an environment can be: no LANG, SHELL, TERM, USER or HOME of a person.
  const tmp = await temporary("test");
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent", TMPDIR: tmp };
  const demo = Bun.spawn([EXECUTABLE, "demo", "--port", "0"], {
    env,
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const printed = await readUntil(demo.stdout, /http:\S+\n/);
    // Its state is of no use to anybody, and no phone needs a sample.
    expect(printed).not.toMatch(/State|phone/);
    const url = /http:\/\/[\w.:]+/.exec(printed)?.[0] ?? "";
    const folders = async () => (await readdir(tmp)).filter((name) => /^panewatch-demo/.test(name));
    const panes = async () =>
      ((await (await fetch(`${url}/api/state`)).json()) as { panes: Pane[] }).panes;
    const waiting = () =>
      until(async () =>
        (await panes()).find((pane) => pane.question === "Do you want to proceed?"),
      );
    const { id, kind } = await waiting();
    expect(kind).toBe("agent_a");
    // All but the two shells.
    expect(await panes()).toHaveLength(10);
    const answer = await fetch(`${url}/api/select`, jsonRequest("POST", { id, key: "2" }));
    expect(await answer.json()).toEqual({ ok: true });
    await until(async () =>
      (await panes()).find(
        (pane) =>
          pane.id === id && pane.lines.some((line) => line.startsWith("● Done: run the tests")),
      ),
    );
    expect(await folders()).toHaveLength(1);
    demo.kill("SIGTERM");
    expect(await demo.exited).toBe(0);
    expect(await folders()).toEqual([]);
  } finally {
    demo.kill("SIGKILL");
  }
});
