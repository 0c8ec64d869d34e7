import { writeFile } from "node:fs/promises";

/** Writes an executable for the system's shell; answers its path. */
export async function shellScript(path: string, body: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return path;
}
