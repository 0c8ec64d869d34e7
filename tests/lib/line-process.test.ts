import { expect, test } from "bun:test";
import { spawnPiped } from "../../src/lib/line-process.ts";
import { until } from "../support/until.ts";

test("a piped program answers, and its end is noticed though its child holds its output open", async () => {
  let output = "";
  const program = spawnPiped(
    ["sh", "-c", "sleep 60 & echo $$; while read a; do echo got $a; done"],
    {
      onOutput: (bytes) => (output += new TextDecoder().decode(bytes)),
      onMessages: () => {},
      onEnd: () => (output += "end"),
    },
  );
  const pid = Number(await until(() => /^(\d+)\n/.exec(output)?.[1] ?? null));
  program.write("one\n");
  await until(() => output.includes("got one\n"));
  process.kill(pid, "SIGKILL");
  await until(() => output.endsWith("end"));
  expect(output).toBe(`${pid}\ngot one\nend`);
  expect(await program.ended).toBeGreaterThanOrEqual(0);
});
