import type { SampleRuntime } from "../requests.ts";
import type { Entry } from "./entry.ts";
import { SessionFile } from "./session-file.ts";

interface EndedSession {
  runtime: SampleRuntime;
  hoursAgo: number;
  entries: readonly Entry[];
}

const STEP_MS = 40_000;

/** Sessions that no pane shows any more: to be searched, and to be resumed. */
const ENDED: readonly EndedSession[] = [
  {
    runtime: "agent_a",
    hoursAgo: 20,
    entries: [
      { kind: "prompt", text: "Add a CSV export to the list of orders" },
      {
        kind: "says",
        text: "The list has a cursor already, so the export can stream page by page.",
      },
      { kind: "says", text: "Amounts are written with a point and two digits, dates as ISO 8601." },
      { kind: "prompt", text: "Which separator do spreadsheets in Germany expect?" },
      { kind: "says", text: "A semicolon: I write it where the person's language is German." },
      { kind: "says", text: "The export is done, with tests for quotes and line breaks in names." },
      { kind: "rests" },
    ],
  },
  {
    runtime: "agent_b",
    hoursAgo: 68,
    entries: [
      { kind: "prompt", text: "Find out why the nightly report is late" },
      { kind: "says", text: "It waits for a lock that the import of orders holds until 02:40." },
      {
        kind: "says",
        text: "The import now commits every 500 rows, and the report starts at 02:05.",
      },
      { kind: "rests" },
    ],
  },
];

/** Into the demo's home, as their agents have left them; they worked in `cwd`. */
export function writeEndedSessions(home: string, cwd: string): void {
  for (const { runtime, hoursAgo, entries } of ENDED) {
    let at = Date.now() - hoursAgo * 3_600_000;
    const session = { id: crypto.randomUUID(), home };
    const file = new SessionFile(runtime, session, { cwd, nowMs: () => at });
    for (const entry of entries) {
      at += STEP_MS;
      file.write([entry]);
    }
    file.close();
  }
}
