import { expect, test } from "bun:test";
import { MuxCreation } from "../../../src/terminal/mux/creation.ts";
import { parseListing, NO_PANES } from "../../../src/terminal/mux/parse.ts";
import { ProcessTable } from "../../../src/terminal/mux/process-table.ts";
import { parseProc } from "../../../src/terminal/mux/remote-proc.ts";
import { PLAIN_FIELDS } from "../../../src/terminal/mux/commands.ts";
import { THIS_MACHINE } from "../../../src/terminal/namespace.ts";

const LONG = 200_000;
/** No end of a line to `split`, and one to a pattern. */
const RETURN = "\r";

test.each<[string, () => unknown]>([
  ["a file of /proc", () => parseProc(`proc x86_64\n${"x".repeat(LONG)}${RETURN}`)],
  ["an open file", () => parseProc(`proc x86_64\n${" 0/fd/0 -> ".repeat(LONG / 11)}${RETURN}`)],
  [
    "a process",
    () => {
      const text = `1 1 1 1 Sun Nov 22 01:24:07 2026 ${" ".repeat(LONG)}${RETURN}`;
      const table = new ProcessTable({ read: async () => text, agesMs: { now: 0, recent: 0 } });
      return table.processes(1, "now");
    },
  ],
  [
    "the name of a session",
    () => {
      const stdout = new TextEncoder().encode(`p %${"0".repeat(LONG)}${RETURN}`);
      return new MuxCreation({ run: async () => ({ code: 0, stdout, stderr: "" }) }).list();
    },
  ],
])("%s that never ends is read in time linear in its length", async (_, read) => {
  // CPU time of this process: others may keep the machine busy.
  const start = process.cpuUsage();
  await read();
  expect(process.cpuUsage(start).user / 1_000_000).toBeLessThan(5);
});

test("the texts of a listed pane are bounded", () => {
  const plain = PLAIN_FIELDS.map((field) => (field.endsWith("_id") ? "%1" : "1")).join(" ");
  const texts = Array.from({ length: 6 }, () => "x".repeat(LONG));
  const output = `MARK${[plain, ...texts].join("MARK")}MARK\nMARK\n`;
  const [pane] = parseListing(output, "MARK", NO_PANES, 0, THIS_MACHINE).panes;
  const { title, command, cwd, window } = pane ?? {};
  expect([title, command, cwd, window].map((text) => text?.length)).toEqual(
    Array.from({ length: 4 }, () => 4096),
  );
});
