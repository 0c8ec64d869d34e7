// Whether the page keeps what it has shown: as many snapshots as ten minutes bring.
//
//   bun tests/bench/web-heap.bench.ts            as fast as the page draws them: two minutes
//   bun tests/bench/web-heap.bench.ts --full     at their own pace: eleven minutes
import type { CDPSession } from "playwright-core";
import { busyFleet, nextPass } from "../support/busy-fleet.ts";
import { printTable } from "./figures.ts";
import { onPhone, PASS_MS, withPhones } from "./phone.ts";

const PASSES = Math.round(600_000 / PASS_MS);
/** Until then the engine still compiles what runs often, and keeps the result on the heap. */
const WARM_UP_PASSES = 600;
const FAST_MS = 50;
const paceMs = process.argv.includes("--full") ? PASS_MS : FAST_MS;

interface Heap {
  usedKb: number;
  /** Of it, what the engine has compiled. */
  codeKb: number;
}

await withPhones(async (lab) => {
  await onPhone(lab, "#/pane/%25100", busyFleet(100, 200), async ({ page, server, devtools }) => {
    // Nothing here is timed, and a slowed processor would only draw fewer of the snapshots.
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
    let pass = 0;
    const run = async (count: number, everyMs: number) => {
      for (const end = pass + count; pass < end;) {
        server.panes = nextPass(server.panes, ++pass, 97);
        server.pass();
        await page.waitForTimeout(everyMs);
      }
    };
    await run(WARM_UP_PASSES, FAST_MS);
    const before = await heapOf(devtools);
    await run(Math.floor(PASSES / 2), paceMs);
    const half = await heapOf(devtools);
    await run(Math.ceil(PASSES / 2), paceMs);
    const after = await heapOf(devtools);
    const row = (name: string, of: (heap: Heap) => number) => [
      name,
      ...[before, half, after].map((heap) => `${of(heap).toFixed(0)} KB`),
      `${((of(after) / of(before) - 1) * 100).toFixed(1)} %`,
    ];
    printTable(
      [`Heap, ${PASSES} snapshots`, "after warm-up", "half way", "at the end", "growth"],
      [
        row("all", (heap) => heap.usedKb),
        row("without compiled code", ({ usedKb, codeKb }) => usedKb - codeKb),
      ],
    );
  });
});

async function heapOf(devtools: CDPSession): Promise<Heap> {
  for (let i = 0; i < 3; i++) await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  return { usedKb: usedSize / 1024, codeKb: (await compiledBytes(devtools)) / 1024 };
}

async function compiledBytes(devtools: CDPSession): Promise<number> {
  let text = "";
  const take = ({ chunk }: { chunk: string }) => {
    text += chunk;
  };
  devtools.on("HeapProfiler.addHeapSnapshotChunk", take);
  await devtools.send("HeapProfiler.takeHeapSnapshot", { reportProgress: false });
  devtools.off("HeapProfiler.addHeapSnapshotChunk", take);
  const { snapshot, nodes } = JSON.parse(text) as {
    snapshot: { meta: { node_fields: string[]; node_types: [string[]] } };
    nodes: number[];
  };
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, size] = [fields.indexOf("type"), fields.indexOf("self_size")];
  const code = types[0].indexOf("code");
  let bytes = 0;
  for (let at = 0; at < nodes.length; at += fields.length)
    if (nodes[at + type] === code) bytes += nodes[at + size] ?? 0;
  return bytes;
}
