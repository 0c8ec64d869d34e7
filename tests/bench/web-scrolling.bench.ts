// Scrolling while output comes: tasks of the page that are long enough to be felt. Half a minute.
import type { CDPSession } from "playwright-core";
import { busyFleet, nextPass } from "../support/busy-fleet.ts";
import { ms, onPhone, print, withPhones } from "./phone.ts";

const LONG_TASK_MS = 50;
const TURNS = 60;
const TURN_MS = 100;
const WHEEL_PX = 400;
/** A snapshot comes with every so many turns of the wheel. */
const TURNS_PER_PASS = 5;

const AREAS = [
  { name: "all panes", hash: "#/all", area: "main.scroll", panes: 100, lines: 200 },
  { name: "queue", hash: "#/queue", area: "main.scroll", panes: 100, lines: 200 },
  {
    name: "terminal of 2000 lines",
    hash: "#/pane/%25100",
    area: "[data-terminal]",
    panes: 4,
    lines: 2000,
  },
];

await withPhones(async (lab) => {
  const rows: string[][] = [];
  for (const { name, hash, area, panes, lines } of AREAS)
    await onPhone(lab, hash, busyFleet(panes, lines), async ({ page, server, devtools }) => {
      const box = await page.locator(area).first().boundingBox();
      await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 200);
      const tasks = await tasksDuring(devtools, async () => {
        for (let turn = 0; turn < TURNS; turn++) {
          if (turn % TURNS_PER_PASS === 0) {
            server.panes = nextPass(server.panes, turn, 10);
            server.pass();
          }
          await page.mouse.wheel(0, turn < TURNS / 2 ? -WHEEL_PX : WHEEL_PX);
          await page.waitForTimeout(TURN_MS);
        }
      });
      const long = tasks.filter((duration) => duration > LONG_TASK_MS);
      rows.push([name, String(long.length), ms(Math.max(0, ...tasks))]);
    });
  print(["Scrolling while output comes", `tasks over ${LONG_TASK_MS} ms`, "longest task"], rows);
});

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** Microseconds from its begin to its end. */
  dur?: number;
  /** The same by the clock of its thread, which stands still while the machine does something else. */
  tdur?: number;
  args?: { name?: string };
}

/** Milliseconds of each task on the page's main thread, counted on its own clock. */
async function tasksDuring(devtools: CDPSession, run: () => Promise<void>): Promise<number[]> {
  const events: TraceEvent[] = [];
  devtools.on("Tracing.dataCollected", ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  const isComplete = new Promise((resolve) => devtools.once("Tracing.tracingComplete", resolve));
  await devtools.send("Tracing.start", { transferMode: "ReportEvents", categories: "toplevel" });
  await run();
  await devtools.send("Tracing.end");
  await isComplete;
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(threadOf),
  );
  const tasks = events.filter(
    (event) => event.name.endsWith("::RunTask") && event.ph === "X" && pages.has(threadOf(event)),
  );
  return tasks.map(({ dur = 0, tdur = dur }) => tdur / 1000);
}
