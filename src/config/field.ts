import { z } from "zod";
import { didYouMean, describeValue } from "../lib/words.ts";
import type { ConfigField, FieldKind, LiveConfig } from "../protocol/config.ts";
import type { Fault } from "./checks.ts";

/** The place of a fault in a structured value, so that an error can point at it. */
export type ValuePath = readonly PropertyKey[];

export type FieldReading<T> =
  { value: T; notes: readonly string[] } | { refused: string; at: ValuePath };

export type LiveKey = keyof LiveConfig;

interface FieldDescription {
  help: string;
  /** Its name in `PATCH /api/config` and in the overlay, and where the settings page shows it. */
  live?: { name: LiveKey } & Pick<ConfigField, "label" | "group">;
  flag?: string;
  secret?: boolean;
  /** False: live only, a YAML value is ignored. */
  yaml?: boolean;
}

type FieldDeclaration<T> = FieldDescription & { default: T };

/** One setting: files, flags, the API, doctor and the reference page come from it. */
export interface Field<T> extends Readonly<FieldDeclaration<T>> {
  readonly kind: FieldKind;
  readonly clamp?: readonly [number, number];
  readonly of?: readonly string[];
  readonly allowed: string;
  /**
   * A function, since most commands read none. In its messages `{key}` is the member at fault, or
   * the setting. Files and flags accept brand names for contract ids; the API does not.
   */
  readonly schema: (brands: boolean) => z.ZodType<T>;
}

/** `check` gives the fault of a text, to be read after the name of its setting. */
type CheckedField = FieldDescription & { check?: Fault };

const withPrefix = (prefix: string, fault: Fault | undefined): Fault => {
  return (value) => {
    const text = fault?.(value) ?? null;
    return text === null ? null : prefix + text;
  };
};

/** Clamps a value out of range, with a note: a typo in a number must not stop the service. */
export function number(
  declared: FieldDeclaration<number> & { clamp: readonly [number, number] },
  isWhole = false,
): Field<number> {
  const [least, most] = declared.clamp;
  const isNumber = (raw: unknown) => typeof raw === "number" && !Number.isNaN(raw);
  return {
    ...declared,
    kind: isWhole ? "integer" : "number",
    allowed: `${isWhole ? "a whole number" : "a number"} from ${least} to ${most}`,
    schema: () =>
      z
        .custom<number>(isNumber, "{key} must be a number")
        .transform((raw) => Math.min(most, Math.max(least, isWhole ? Math.round(raw) : raw))),
  };
}

export function integer(declared: FieldDeclaration<number> & { clamp: readonly [number, number] }) {
  return number(declared, true);
}

/** Declares settings of a kind that allows the same values everywhere. */
export const kindOf =
  <T>(kind: FieldKind, allowed: string, schema: Field<T>["schema"]) =>
  (declared: FieldDeclaration<T>): Field<T> => ({ ...declared, kind, allowed, schema });

export const boolean = kindOf<boolean>("boolean", "true or false", () => YesOrNo);

/** Without a default it is empty, and an empty text is then not checked. */
export function text({
  check,
  allowed = "text",
  default: usual = "",
  ...declared
}: CheckedField & { default?: string; allowed?: string }): Field<string> {
  const fault: Fault = (value) => (value === "" && usual === "" ? null : (check?.(value) ?? null));
  const schema = () => checked(textOrHint("text"), withPrefix("{key} ", fault));
  return { ...declared, default: usual, kind: "text", allowed, schema };
}

export function choice<const T extends string>({
  brands: spellings,
  ...declared
}: FieldDescription & {
  default: NoInfer<T>;
  of: readonly T[];
  brands?: ReadonlyMap<string, T>;
}): Field<T> {
  return {
    ...declared,
    kind: "choice",
    allowed: declared.of.join(", "),
    schema: (brands) => oneOf(declared.of, brands ? spellings : undefined),
  };
}

export function texts({
  check,
  default: usual = [],
  ...declared
}: CheckedField & { default?: readonly string[]; allowed: string }): Field<readonly string[]> {
  return {
    ...declared,
    default: usual,
    kind: "texts",
    schema: () => listOf(checked(textOrHint("a list of text"), withPrefix("{key}: ", check))),
  };
}

export function textMap(
  declared: FieldDeclaration<Readonly<Record<string, string>>> & { allowed: string },
): Field<Readonly<Record<string, string>>> {
  return { ...declared, kind: "map", schema: () => mapOf(z.string("{key} must be text")) };
}

const textOrHint = (what: string) =>
  z.string({ error: ({ input }) => `{key} must be ${what}${quoteHint(input)}` });

export const Text = z.string("{key} must be text");
export const YesOrNo = z.boolean("{key} must be a boolean");
export function checked(schema: z.ZodString, fault: Fault) {
  return schema.superRefine((value, context) => {
    const message = fault(value);
    if (message !== null) context.addIssue(message);
  });
}

export function listOf<T extends z.ZodType>(item: T) {
  return z.array(item, "{key} must be a list");
}

export function mapOf<T extends z.ZodType>(value: T) {
  return z.record(z.string(), value, "{key} must be a map");
}

export function oneOf<const T extends string>(of: readonly T[], brands?: ReadonlyMap<string, T>) {
  const named = (raw: unknown) => (typeof raw === "string" ? (brands?.get(raw) ?? raw) : raw);
  const refusal = ({ input }: { input?: unknown }) => `bad {key}: ${describeValue(input)}`;
  return z.preprocess(named, z.enum(of, { error: refusal }));
}

const ITEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  overrides: ["target", "name", "kind", "star"],
  roots: ["label", "path"],
  hosts: ["name", "ssh", "watch", "roots", "disable_auto_rename"],
};

/** A member that is a list of items is checked as the kind of its name. */
export function unknownKeys(kind: string, raw: unknown): string[] {
  const known = ITEM_KEYS[kind];
  if (known === undefined || !Array.isArray(raw)) return [];
  return raw.flatMap((item: object, index) =>
    Object.entries(item).flatMap(([key, value]) =>
      known.includes(key)
        ? unknownKeys(key, value)
        : [`[${index}]: unknown key ${describeValue(key)}${didYouMean(key, known)}`],
    ),
  );
}

function quoteHint(raw: unknown): string {
  return typeof raw === "number" || typeof raw === "boolean" ? `; write it in quotes` : "";
}
