// What a command costs that a person or a status bar runs: processor time, beside the least that
// this runtime takes, a program that says one line.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ms, percentile, printTable } from "./figures.ts";
import { EXECUTABLE } from "../support/child.ts";

const RUNS = 15;
const COMMANDS: readonly (readonly [string, string])[] = [
  ["--version", "25 ms"],
  ["ls", "35 ms"],
  ["status-line", "20 ms"],
  ["service status", ""],
  ["doctor", ""],
];

const folder = await mkdtemp(join(tmpdir(), "panewatch-bench-"));
const env = { PATH: process.env.PATH ?? "", HOME: folder, TMUX_TMPDIR: folder, LANG: "C.UTF-8" };
const tmux = (...args: string[]) => Bun.spawnSync(["tmux", "-f", "/dev/null", ...args], { env });
tmux("new-session", "-d", "cat");
const service = Bun.spawn([EXECUTABLE, "--port", "0"], {
  env,
  stdio: ["ignore", "pipe", "ignore"],
});
try {
  await service.stdout.getReader().read();
  // `ls` asks more of a service that knows no pane yet.
  while (!Bun.spawnSync([EXECUTABLE, "ls"], { env }).stdout.includes("cat")) await Bun.sleep(100);
  const least = join(folder, "least");
  // Its stream for standard output alone would take this runtime three times as long.
  await writeFile(`${least}.ts`, `await Bun.write(Bun.stdout, "one line\\n");\n`);
  await Bun.build({
    ...{ entrypoints: [`${least}.ts`], target: "bun", bytecode: true, format: "esm" },
    compile: { outfile: least },
  });
  const base = await measure([least]);
  const rows: string[][] = [["a program of one line", ms(base), "1.0", ""]];
  for (const [command, aim] of COMMANDS) {
    const cpu = await measure([EXECUTABLE, ...command.split(" ")]);
    rows.push([`\`${command}\``, ms(cpu), (cpu / base).toFixed(1), aim]);
  }
  printTable(["command", "processor, median", "times the least", "aim"], rows);
} finally {
  service.kill("SIGTERM");
  await service.exited;
  tmux("kill-server");
  await rm(folder, { recursive: true, force: true });
}

/** Milliseconds of processor time, median. */
async function measure(argv: string[]): Promise<number> {
  const cpu: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const child = Bun.spawn(argv, { env, stdio: ["ignore", "ignore", "ignore"] });
    await child.exited;
    cpu.push(Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1000);
  }
  return percentile(cpu, 50);
}
