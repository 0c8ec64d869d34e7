import type { Flags } from "../cli/arguments.ts";
import type { Config } from "../config/fields.ts";
import type { Layers } from "../config/resolve.ts";
import type { Check } from "./check.ts";

/** What every look may start from; nothing was created, moved or corrected for it. */
export interface DoctorContext {
  flags: Flags;
  /** `--config`, or null. */
  configPath: string | null;
  /** Why the file stops the start, or null. */
  refusal: string | null;
  warnings: readonly string[];
  layers: Layers;
  config: Config;
  stateDir: string;
}

/** Looks at one thing, and only looks. */
export type Look = (context: DoctorContext) => readonly Check[] | Promise<readonly Check[]>;

/** A heading of the report, and what is looked at under it. */
export interface Topic {
  title: string;
  looks: readonly Look[];
}
