import type { SampleRuntime } from "../requests.ts";
import type { Entry } from "./entry.ts";
import { SessionFile } from "./session-file.ts";

const STEP_MS = 40_000;

interface EndedSession {
  runtime: SampleRuntime;
  hoursAgo: number;
  /** What the person wrote begins with `> `; the rest the agent said. */
  lines: readonly string[];
}

/** Sessions that no pane shows any more: to be searched, and to be resumed. */
const ENDED: readonly EndedSession[] = [
  {
    runtime: "agent_a",
    hoursAgo: 20,
    lines: [
      "> Add a CSV export to the list of orders",
      "The list has a cursor already, so the export can stream page by page.",
      "Amounts are written with a point and two digits, dates as ISO 8601.",
      "> Which separator do spreadsheets in Germany expect?",
      "A semicolon: I write it where the person's language is German.",
      "The export is done, with tests for quotes and line breaks in names.",
    ],
  },
  {
    runtime: "agent_b",
    hoursAgo: 68,
    lines: [
      "> Find out why the nightly report is late",
      "It waits for a lock that the import of orders holds until 02:40.",
      "The import now commits every 500 rows, and the report starts at 02:05.",
    ],
  },
];

/** Into the demo's home, as their agents have left them; they worked in `cwd`. */
export function writeEndedSessions(home: string, cwd: string): void {
  for (const { runtime, hoursAgo, lines } of ENDED) {
    let at = Date.now() - hoursAgo * 3_600_000;
    const session = { id: crypto.randomUUID(), home };
    const file = new SessionFile(runtime, session, { cwd, nowMs: () => at });
    const entries = lines.map((line): Entry => {
      const kind = line.startsWith("> ") ? "prompt" : "says";
      return { kind, text: line.replace(/^> /, "") };
    });
    for (const entry of [...entries, { kind: "rests" } as const]) {
      at += STEP_MS;
      file.write([entry]);
    }
    file.close();
  }
}
