import { expect, test } from "bun:test";
import { startCompanion } from "../../src/lib/line-process.ts";
import { until } from "../support/until.ts";

test("a companion answers line by line, and is heard to end although another holds its output", async () => {
  const heard: string[] = [];
  const companion = startCompanion(
    ["sh", "-c", "sleep 60 & echo $$; while read a; do echo got $a; done"],
    {
      onLine: (line) => heard.push(line),
      onEnd: () => heard.push("end"),
    },
  );
  const pid = Number(await until(() => heard[0] ?? null));
  companion.send("one");
  await until(() => heard[1] ?? null);
  process.kill(pid, "SIGKILL");
  await until(() => heard[2] ?? null);
  expect(heard).toEqual([String(pid), "got one", "end"]);
  process.kill(-pid, "SIGKILL");
});
