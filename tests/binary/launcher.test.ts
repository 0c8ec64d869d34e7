import { expect, test } from "bun:test";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporary } from "../support/temporary.ts";
import { runs } from "../support/thorough.ts";

const LAUNCHER = join(import.meta.dir, "..", "..", "src", "release", "launcher.mjs");
/** Its first act is to end the launcher, which has to hand that on. */
const STOPS_CLEANLY =
  "#!/bin/sh\ntrap 'exit 0' TERM\nkill -TERM $PPID\nfor i in $(seq 250); do sleep 0.02; done; exit 3\n";

test("a SIGTERM right after the start of the launcher ends the executable too", async () => {
  const folder = await temporary("launcher");
  const launcher = join(folder, "launcher.mjs");
  await copyFile(LAUNCHER, launcher);
  const platform = `panewatch-${process.platform}-${process.arch}`;
  for (const name of [platform, `${platform}-musl`]) {
    const executable = join(folder, "node_modules", name, "panewatch");
    await mkdir(join(executable, ".."), { recursive: true });
    await writeFile(executable, STOPS_CLEANLY);
    await chmod(executable, 0o755);
  }
  for (let start = 0; start < runs(12); start++) {
    const child = Bun.spawn(["node", launcher], { stdio: ["ignore", "ignore", "inherit"] });
    expect(await child.exited).toBe(0);
  }
});
