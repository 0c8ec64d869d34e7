import { expect, test } from "bun:test";
import { chmod, copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporary } from "../support/temporary.ts";
import { runs } from "../support/thorough.ts";

/** The signal meets the launcher at another moment each time. */
const STARTS = runs(12);
const LAUNCHER = join(import.meta.dir, "..", "..", "src", "release", "launcher.mjs");
const STOPS_CLEANLY =
  "#!/bin/sh\ntrap 'exit 0' TERM\necho ready\nfor i in $(seq 250); do sleep 0.02; done\n";

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
  for (let start = 0; start < STARTS; start++) {
    const child = Bun.spawn(["node", launcher], { stdio: ["ignore", "pipe", "inherit"] });
    await child.stdout.getReader().read();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  }
});
