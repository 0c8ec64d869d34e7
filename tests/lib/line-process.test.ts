import { expect, test } from "bun:test";
import { spawnPiped } from "../../src/lib/line-process.ts";
import { until } from "../support/until.ts";

test("a program answers, and is heard to end although another holds its output", async () => {
  let said = "";
  const program = spawnPiped(
    ["sh", "-c", "sleep 60 & echo $$; while read a; do echo got $a; done"],
    {
      onOutput: (bytes) => (said += new TextDecoder().decode(bytes)),
      onMessages: () => {},
      onEnd: () => (said += "end"),
    },
  );
  const pid = Number(await until(() => /^(\d+)\n/.exec(said)?.[1] ?? null));
  program.write("one\n");
  await until(() => said.includes("got one\n"));
  process.kill(pid, "SIGKILL");
  await until(() => said.endsWith("end"));
  expect(said).toBe(`${pid}\ngot one\nend`);
  expect(await program.ended).toBeGreaterThanOrEqual(0);
});
