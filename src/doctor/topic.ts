import type { Typed } from "../config/flags.ts";
import type { Config } from "../config/fields.ts";
import type { Layers } from "../config/resolve.ts";
import type { Check } from "./check.ts";

/** What every look may start from. Reading it created, moved or corrected nothing. */
export interface DoctorContext {
  flags: Typed;
  /** `--config`, or null. */
  configPath: string | null;
  /** Why the file stops the start, or null. */
  refusal: string | null;
  warnings: readonly string[];
  layers: Layers;
  config: Config;
  stateDir: string;
}

/** Checks one subject, without changing anything. */
export type Look = (context: DoctorContext) => readonly Check[] | Promise<readonly Check[]>;

/** A heading of the report, and the looks below it. */
export interface Topic {
  title: string;
  looks: readonly Look[];
}
