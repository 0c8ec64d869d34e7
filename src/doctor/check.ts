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
