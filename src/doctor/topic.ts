import type { Config } from "../config/fields.ts";
import type { Typed } from "../config/flags.ts";
import type { Layers } from "../config/resolve.ts";

/** One result of a look at this machine, in words for a person. */
export interface Check {
  level: "ok" | "warn" | "fail";
  text: string;
  /** What to do about it. */
  remedy?: string;
}

export const ok = (text: string): Check => ({ level: "ok", text });
export const warn = (text: string, remedy: string): Check => ({ level: "warn", text, remedy });
export const fail = (text: string, remedy: string): Check => ({ level: "fail", text, remedy });

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
