import type { ConfigField, FieldKind, LiveConfig } from "../protocol/config.ts";

/** Where in a structured value the fault is, so that a file's error can point at it. */
export type ValuePath = readonly (string | number)[];

export type ReadValue<T> =
  { value: T; notes: readonly string[] } | { refused: string; at: ValuePath };

interface ReadContext {
  /** What the refusal calls the setting; a file's error names the path itself. */
  key: string;
  /** Files and flags accept brand names for contract ids; the API does not. */
  brands: boolean;
}

export type LiveKey = keyof LiveConfig;

export interface Declared<T> {
  default: T;
  help: string;
  /** Its name in `PATCH /api/config` and in the overlay. */
  live?: LiveKey;
  form?: Pick<ConfigField, "label" | "group">;
  /** Its name in the overlay, where it is changed by requests of its own. */
  saved?: string;
  flag?: string;
  secret?: boolean;
  /** False: live only, a YAML value is ignored. */
  yaml?: boolean;
}

/** One setting, declared once: files, flags, the API, doctor and the reference page come from it. */
export interface Field<T> extends Readonly<Declared<T>> {
  readonly kind: FieldKind;
  readonly clamp?: readonly [number, number];
  readonly of?: readonly string[];
  readonly allowed: string;
  read(raw: unknown, context: ReadContext): ReadValue<T>;
}

export function accepted<T>(value: T, ...notes: string[]): ReadValue<T> {
  return { value, notes };
}

export function refused(message: string, at: ValuePath = []): { refused: string; at: ValuePath } {
  return { refused: message, at };
}

/** Out of range clamps with a note: a file with a typo in a number still starts the service. */
export function number(
  declared: Declared<number> & { clamp: readonly [number, number]; integer?: boolean },
): Field<number> {
  const { integer = false, ...rest } = declared;
  const { clamp } = rest;
  const [least, most] = clamp;
  const allowed = `${integer ? "a whole number" : "a number"} from ${least} to ${most}`;
  return {
    ...rest,
    kind: integer ? "integer" : "number",
    allowed,
    read(raw, { key }) {
      if (typeof raw !== "number" || Number.isNaN(raw)) return refused(`${key} must be a number`);
      const value = Math.min(most, Math.max(least, integer ? Math.round(raw) : raw));
      if (value === raw) return accepted(value);
      return accepted(value, `${raw} is not ${allowed}; using ${value}`);
    },
  };
}

export function integer(declared: Declared<number> & { clamp: readonly [number, number] }) {
  return number({ ...declared, integer: true });
}

export function boolean(declared: Declared<boolean>): Field<boolean> {
  return {
    ...declared,
    kind: "boolean",
    allowed: "true or false",
    read: (raw, { key }) =>
      typeof raw === "boolean" ? accepted(raw) : refused(`${key} must be a boolean`),
  };
}

export function text(
  declared: Declared<string> & { allowed?: string; check?: (value: string) => string | null },
): Field<string> {
  const { check, allowed = "text", ...rest } = declared;
  return {
    ...rest,
    kind: "text",
    allowed,
    read(raw, { key }) {
      if (typeof raw !== "string") return refused(`${key} must be text${quoteHint(raw)}`);
      const fault = check?.(raw) ?? null;
      return fault === null ? accepted(raw) : refused(`${key} ${fault}`);
    },
  };
}

export function choice<const T extends string>(
  declared: Omit<Declared<string>, "default"> & {
    default: NoInfer<T>;
    of: readonly T[];
    brands?: ReadonlyMap<string, T>;
  },
): Field<T> {
  const { brands, ...rest } = declared;
  const { of } = rest;
  return {
    ...rest,
    kind: "choice",
    allowed: of.join(", "),
    read(raw, context) {
      const named = context.brands && typeof raw === "string" ? (brands?.get(raw) ?? raw) : raw;
      const value = of.find((one) => one === named);
      return value === undefined ? refused(`bad ${context.key}: ${shown(raw)}`) : accepted(value);
    },
  };
}

export function texts(
  declared: Declared<readonly string[]> & {
    allowed: string;
    check?: (value: string) => string | null;
  },
): Field<readonly string[]> {
  const { check, ...rest } = declared;
  return {
    ...rest,
    kind: "texts",
    read(raw, { key }) {
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      for (const [index, item] of raw.entries()) {
        if (typeof item !== "string")
          return refused(`${key} must be a list of text${quoteHint(item)}`, [index]);
        const fault = check?.(item) ?? null;
        if (fault !== null) return refused(`${key}: ${fault}`, [index]);
      }
      return accepted([...raw]);
    },
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MAX_SHOWN_CHARS = 80;

/** A refused value as a message shows it: bounded, and of a list or an object only that it is one. */
export function shown(raw: unknown): string {
  if (typeof raw === "object" && raw !== null) return Array.isArray(raw) ? "a list" : "an object";
  const value = String(raw);
  return value.length > MAX_SHOWN_CHARS ? `${value.slice(0, MAX_SHOWN_CHARS)}…` : value;
}

function quoteHint(raw: unknown): string {
  return typeof raw === "number" || typeof raw === "boolean" ? `; write it in quotes` : "";
}
