// How fast the changes of a work tree are told: as many files as are listed, in a tree of more.
import { systemClock } from "../../src/lib/clock.ts";
import { changesSlice } from "../../src/changes/routes.ts";
import { MAX_CHANGED_FILES } from "../../src/protocol/changes.ts";
import { Repository } from "../changes/support/repository.ts";
import { service } from "../support/service.ts";
import { markdownTable, percentile } from "./figures.ts";

const FILES = 10_000;
const REQUESTS = 20;
const LINES = 60;

const ms = (value: number) => `${value.toFixed(0)} ms`;

function text(file: number, change: string): string {
  const line = (index: number) =>
    `  const value${index} = await read${file}(source, ${index}${index % 20 === 7 ? change : ""});\n`;
  return Array.from({ length: LINES }, (_, index) => line(index)).join("");
}

function some(count: number, folder: string, change: string): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => index);
  return Object.fromEntries(
    names.map((index) => [`${folder}/${index % 100}/file-${index}.ts`, text(index, change)]),
  );
}

async function timesOf(request: () => Promise<Response>): Promise<string[]> {
  const times: number[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    // Longer than several askers share one look.
    await Bun.sleep(1001);
    const startedMs = performance.now();
    const reply = await request();
    if (reply.status !== 200) throw new Error(`${reply.status}: ${await reply.text()}`);
    await reply.text();
    times.push(performance.now() - startedMs);
  }
  return [ms(percentile(times, 50)), ms(percentile(times, 95))];
}

async function latencies(): Promise<void> {
  await using repository = await Repository.create();
  await repository.commit(some(FILES, "src", ""));
  await repository.git("checkout", "--quiet", "-b", "work");
  const slice = changesSlice({
    panes: () => [],
    hub: { resolve: () => ({ id: "%1", cwd: repository.path }) },
    isLocalPane: () => true,
    roots: [repository.root],
    clock: systemClock,
  });
  const { request } = service({ slices: [slice] });
  const list = () => request("/api/changes?id=%251");
  const since = () => request("/api/changes?id=%251&range=base");
  const file = () => request("/api/changes/file?id=%251&path=src/7/file-7.ts");

  const rows = [["nothing changed", ...(await timesOf(list))]];
  await repository.write(some(20, "src", ", changed"));
  rows.push(["20 files changed", ...(await timesOf(list))]);
  rows.push(["one of them, its lines", ...(await timesOf(file))]);
  await repository.write(some(MAX_CHANGED_FILES, "src", ", changed"));
  rows.push([`${MAX_CHANGED_FILES} files changed`, ...(await timesOf(list))]);
  await repository.commit({});
  rows.push([`${MAX_CHANGED_FILES} files since the base`, ...(await timesOf(since))]);
  await repository.write(some(MAX_CHANGED_FILES, "new", ""));
  rows.push([`${MAX_CHANGED_FILES} new files`, ...(await timesOf(list))]);
  process.stdout.write(
    `\nA work tree of ${FILES} files of ${LINES} lines; ${REQUESTS} requests each.\n\n` +
      markdownTable(["changes", "median", "p95"], rows),
  );
}

await latencies();
