// What it costs to watch homes in which nothing happens: thousands of folders, hundreds of logs.
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStore, readingOf } from "../agents/support/store.ts";
import { line } from "../agents/support/records.ts";
import { printTable } from "./figures.ts";

const SESSIONS = 400;
const FOLDERS = 6116;
/** As often as passes and rests wake the reader. */
const PASS_MS = 700;
const SECONDS = 60;
const BUDGET_PERCENT = 1.5;

const folder = await mkdtemp(join(tmpdir(), "agents-bench-idle-"));
const home = join(folder, ".claude");

async function fill(folders: number): Promise<void> {
  await rm(home, { recursive: true, force: true });
  for (let index = 0; index < SESSIONS; index++) {
    const sessionId = `01a20060-0000-4000-8000-${String(index).padStart(12, "0")}`;
    const project = join(home, "projects", `p${index % 20}`);
    await mkdir(project, { recursive: true });
    const path = join(project, `${sessionId}.jsonl`);
    const message = { role: "user", content: `the goal of ${index}` };
    const timestamp = new Date().toISOString();
    await writeFile(path, line({ type: "user", sessionId, uuid: sessionId, timestamp, message }));
    const at = Date.now() / 1000 - 3600 - index;
    await utimes(path, at, at);
  }
  const kinds = ["session-env", "file-history", "projects/p1/subagents", "shell-snapshots"];
  for (let index = 0; index < folders; index++)
    await mkdir(join(home, kinds[index % kinds.length] ?? "", `f${index}`), { recursive: true });
}

async function percentOfCore(): Promise<number> {
  const { store } = memoryStore(Date.now() / 1000);
  const reading = readingOf(store, folder);
  const { signal } = new AbortController();
  while (await reading.pass(signal));
  const before = process.cpuUsage();
  const until = performance.now() + SECONDS * 1000;
  while (performance.now() < until) {
    await reading.pass(signal);
    await Bun.sleep(PASS_MS);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 10_000 / SECONDS;
}

let isTooMuch = false;
const rows: string[][] = [];
for (const folders of [0, FOLDERS]) {
  await fill(folders);
  const percent = await percentOfCore();
  if (percent > BUDGET_PERCENT) isTooMuch = true;
  rows.push([`${SESSIONS} sessions, ${folders} other folders`, `${percent.toFixed(2)} %`]);
}
await rm(folder, { recursive: true, force: true });
printTable(["idle home", "of a core"], rows);
if (isTooMuch) process.stderr.write(`more than ${BUDGET_PERCENT} % of a core\n`);
process.exit(isTooMuch ? 1 : 0);
