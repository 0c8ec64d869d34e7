import { waits } from "../../model/pane.ts";
import type { Answers } from "./answers.ts";
import type { Doubts } from "./doubts.ts";
import type { Input } from "./input.ts";
import type { Panes } from "./panes.ts";

interface Doubted {
  readonly answers: Answers;
  readonly doubts: Doubts;
  readonly input: Input;
  readonly panes: Panes;
}

/** What has left for this pane may have arrived: nothing follows until its terminal was looked at. */
export function raiseDoubt({ answers, input, panes }: Doubted, id: string, label: string): void {
  input.doubt(id);
  const pane = panes.latest(id);
  if (pane !== null && waits(pane)) answers.doubt(pane, label);
}

/** It is known what became of it; another doubt about this pane stays. */
export function ceaseDoubt({ answers, doubts, input }: Doubted, id: string, label: string): void {
  if (!doubts.isAbout(id, label)) return;
  doubts.end(id);
  if (answers.isUncertain(id)) answers.inspected(id);
  input.inspected(id);
}
