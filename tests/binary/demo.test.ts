import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/until.ts";

const EXECUTABLE = join(import.meta.dir, "..", "..", "dist", "panewatch");

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
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: "/nonexistent" };
  const demo = Bun.spawn([EXECUTABLE, "demo", "--port", "0"], {
    env,
    cwd: "/",
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const printed = await readUntil(demo.stdout, /State in (\S+)/);
    const url = /http:\/\/[\w.:]+/.exec(printed)?.[0] ?? "";
    const folder = /State in (\S+)\/state/.exec(printed)?.[1] ?? "";
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
    const answer = await fetch(`${url}/api/select`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id, key: "2" }),
    });
    expect(await answer.json()).toEqual({ ok: true });
    await until(async () =>
      (await panes()).find(
        (pane) => pane.id === id && pane.lines.some((line) => line.startsWith("● $ npm test")),
      ),
    );
    expect(existsSync(folder)).toBe(true);
    demo.kill("SIGTERM");
    expect(await demo.exited).toBe(0);
    expect(existsSync(folder)).toBe(false);
  } finally {
    demo.kill("SIGKILL");
  }
});

async function readUntil(stream: ReadableStream<Uint8Array>, wanted: RegExp): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (wanted.test(text)) return text;
  }
  throw new Error(`the demo ended: ${text}`);
}
