import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

export interface Recorder {
  /** Command line of a program that writes every byte it receives, raw, to a file. */
  command: string[];
  ready(): Promise<void>;
  /** What has arrived once that is at least `bytes` long. */
  received(bytes: number): Promise<Buffer>;
}

// `modes` are escape sequences that the program prints first, as real ones ask for features.
export function createRecorder(folder: string, name: string, modes = ""): Recorder {
  const file = join(folder, name);
  const program = `
    const fs = require("node:fs");
    process.stdin.setRawMode(true);
    process.stdout.write(${JSON.stringify(modes)});
    process.stdin.on("data", (data) => fs.appendFileSync(${JSON.stringify(file)}, data));
    fs.writeFileSync(${JSON.stringify(file)}, "");
  `;
  const read = () => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0));
  return {
    command: [process.execPath, "-e", program],
    ready: async () => void (await until(() => existsSync(file) || null)),
    received: (bytes) => until(() => (read().length >= bytes ? read() : null)),
  };
}
