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

/** Reading it must create, move or correct nothing. */
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

export type Examiner = (context: DoctorContext) => Iterable<Check> | AsyncIterable<Check>;
