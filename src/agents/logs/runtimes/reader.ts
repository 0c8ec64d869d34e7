import type { AgentRuntime } from "../../../protocol/agents.ts";
import type { LogEvent } from "../events.ts";
import type { Fields } from "./fields.ts";

/** How one runtime writes its logs: one file of this folder, and one row of `table.ts`. */
export interface RuntimeReader {
  runtime: AgentRuntime;
  /** What one record says; nothing for what is not known or not for people. Never throws. */
  read(record: Fields): LogEvent[];
  /**
   * Finds in the first characters of a line that it says nothing, so that long lines of prompts
   * and tools are not parsed. A line that is wrongly kept only costs time.
   */
  silent: RegExp;
  /** The same of what a tool gave back: however long it is, it holds no words of the chat. */
  result: RegExp;
  /** A record keeps its id when a session is copied: the later of two sessions has the copy. */
  keepsIdsInCopies: boolean;
}

/** Characters of a line that `silent` and `result` are held against. */
export const HEAD_LENGTH = 480;
