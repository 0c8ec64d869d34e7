import type { CDPSession } from "playwright-core";

/** A task of the page that is longer than this is felt. */
export const LONG_TASK_MS = 50;

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
export async function tasksDuring(
  devtools: CDPSession,
  run: () => Promise<void>,
): Promise<number[]> {
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
