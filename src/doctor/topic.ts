import type { Config } from "../config/fields.ts";
import type { Layers, Flags } from "../config/resolve.ts";

export interface Check {
  level: "ok" | "warn" | "fail";
  text: string;
  remedy?: string;
}

export const ok = (text: string): Check => ({ level: "ok", text });
export const warn = (text: string, remedy: string): Check => ({ level: "warn", text, remedy });
export const fail = (text: string, remedy: string): Check => ({ level: "fail", text, remedy });

/** What every look may start from. Reading it created, moved or corrected nothing. */
export interface DoctorContext {
  flags: Flags;
  /** `--config`, or null. */
  configPath: string | null;
  refusal: string | null;
  warnings: readonly string[];
  layers: Layers;
  config: Config;
  stateDir: string;
}

export type Look = (context: DoctorContext) => Iterable<Check> | AsyncIterable<Check>;
