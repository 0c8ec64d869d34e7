import { isAbsolute } from "node:path";
import { z } from "zod";
import { KIND_ALIASES } from "../detect/agents.ts";
import { MAX_PATTERN_CHARS, MAX_PATTERNS, patternFault } from "../detect/pattern-rules.ts";
import { isObject } from "../lib/json.ts";
import { didYouMean, shown, splitWords } from "../lib/words.ts";
import { firstCharacters } from "../protocol/characters.ts";
import {
  type ConfigField,
  type FieldKind,
  type LiveConfig,
  MAX_OVERRIDES,
  type PaneOverride,
} from "../protocol/config.ts";
import { type CreationRoot, RUNTIME_IDS, type RuntimeId } from "../protocol/creation.ts";
import { type HostConfig, MAX_HOSTS } from "../protocol/hosts.ts";
import { MAX_TARGET_CHARS, PaneKind } from "../protocol/pane.ts";
import { destinationFault, type Fault, nameFault } from "./checks.ts";

const MAX_OVERRIDE_NAME_CHARS = 80;
const MAX_ARGUMENTS = 64;
const MAX_ARGUMENT_CHARS = 1000;

/** Where in a structured value the fault is, so that a file's error can point at it. */
export type ValuePath = readonly PropertyKey[];

export type ReadValue<T> =
  { value: T; notes: readonly string[] } | { refused: string; at: ValuePath };

export type LiveKey = keyof LiveConfig;

interface Described {
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

interface Declared<T> extends Described {
  default: T;
}

/** One setting, declared once: files, flags, the API, doctor and the reference page come from it. */
export interface Field<T> extends Readonly<Declared<T>> {
  readonly kind: FieldKind;
  readonly clamp?: readonly [number, number];
  readonly of?: readonly string[];
  readonly allowed: string;
  /**
   * Made when it is read: most commands read none. In its messages `{key}` is the member at fault,
   * or the setting. Files and flags accept brand names for contract ids; the API does not.
   */
  readonly schema: (brands: boolean) => z.ZodType<T>;
}

/** What is wrong with a text, read on from the name of its setting; null where nothing is. */
interface Checked {
  check?: Fault;
}

/** Its refusals begin with `before`. */
const after = (before: string, fault: Fault | undefined): Fault => {
  return (value) => {
    const found = fault?.(value) ?? null;
    return found === null ? null : before + found;
  };
};

export function readValue<T>(
  field: Field<T>,
  raw: unknown,
  { name, brands }: { name: string; brands: boolean },
): ReadValue<T> {
  const read = field.schema(brands).safeParse(raw);
  if (!read.success) {
    const { message = "", path = [] } = read.error.issues[0] ?? {};
    const member = path.findLast((step) => typeof step === "string") ?? name;
    return { refused: message.replace("{key}", () => String(member)), at: path };
  }
  const value = read.data;
  const isClamped = field.clamp !== undefined && value !== raw;
  const clamped = isClamped ? [`${String(raw)} is not ${field.allowed}; using ${value}`] : [];
  return { value, notes: [...clamped, ...unknownKeys(field.kind, raw)] };
}

/** Out of range clamps with a note: a file with a typo in a number still starts the service. */
export function number(
  declared: Declared<number> & { clamp: readonly [number, number] },
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

export function integer(declared: Declared<number> & { clamp: readonly [number, number] }) {
  return number(declared, true);
}

/** Settings of a kind that has the same values everywhere. */
const kindOf =
  <T>(kind: FieldKind, allowed: string, schema: Field<T>["schema"]) =>
  (declared: Declared<T>): Field<T> => ({ ...declared, kind, allowed, schema });

export const boolean = kindOf<boolean>("boolean", "true or false", () => YesOrNo);

/** Empty, which is no setting, unless it is said otherwise. */
export function text({
  check,
  allowed = "text",
  default: usual = "",
  ...declared
}: Described & { default?: string; allowed?: string } & Checked): Field<string> {
  const plain = z.string({ error: ({ input }) => `{key} must be text${quoteHint(input)}` });
  const isSetting: Fault = (value) =>
    value === "" && usual === "" ? null : (check?.(value) ?? null);
  const schema = () => checked(plain, after("{key} ", isSetting));
  return { ...declared, default: usual, kind: "text", allowed, schema };
}

export function choice<const T extends string>({
  brands: spellings,
  ...declared
}: Described & {
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
}: Described & { default?: readonly string[]; allowed: string } & Checked): Field<
  readonly string[]
> {
  const item = z.string({
    error: ({ input }) => `{key} must be a list of text${quoteHint(input)}`,
  });
  return {
    ...declared,
    default: usual,
    kind: "texts",
    schema: () => listOf(checked(item, after("{key}: ", check))),
  };
}

export function textMap(
  declared: Declared<Readonly<Record<string, string>>> & { allowed: string },
): Field<Readonly<Record<string, string>>> {
  return { ...declared, kind: "map", schema: () => mapOf(z.string("{key} must be text")) };
}

/** Regular expressions of the user; one that could backtrack without end is refused everywhere. */
export const patterns = kindOf<readonly string[]>(
  "patterns",
  `a list of at most ${MAX_PATTERNS} regular expressions of at most ` +
    `${MAX_PATTERN_CHARS} characters, without nested quantifiers`,
  () =>
    listOf(checked(z.string("{key} must be a list of text"), patternFault))
      .max(MAX_PATTERNS, `too many patterns (max ${MAX_PATTERNS})`)
      // An empty line of a form, which would match everywhere: every pane would be an error.
      .transform((all) => all.filter((one) => one.trim() !== "")),
);

/** A command line: text in the manner of a shell's words (no shell ever sees it), or a list. */
export const command = kindOf<readonly string[]>(
  "command",
  "a command with its arguments: text (quotes group words) or a list of text",
  () => {
    const words = z.transform((raw: unknown, context) => {
      const split = typeof raw === "string" ? splitWords(raw) : raw;
      if (split !== null) return split;
      const message = "{key} has a quote without its end";
      context.issues.push({ code: "custom", message, input: raw });
      return z.NEVER;
    });
    return words.pipe(argumentList());
  },
);

/** Runtime id -> argument list; `shell` is implicit and has none. */
type Runtimes = Readonly<Partial<Record<Exclude<RuntimeId, "shell">, readonly string[]>>>;

const AGENT_IDS = RUNTIME_IDS.filter((id) => id !== "shell");

export const runtimes = kindOf<Runtimes>(
  "runtimes",
  `a map from ${AGENT_IDS.join(", ")} to an argument list`,
  (brands) =>
    mapOf(argumentList()).transform((written, context) => {
      const names = new Map<string, string>();
      for (const name of Object.keys(written)) {
        const id = brands ? (KIND_ALIASES.get(name) ?? name) : name;
        const before = names.get(id);
        const refuse = (message: string) =>
          context.addIssue({ code: "custom", message, path: [name] });
        if (!AGENT_IDS.some((one) => one === id)) refuse(`unknown runtime ${shown(name)}`);
        if (before !== undefined) refuse(`${before} and ${name} are one runtime; keep one of them`);
        names.set(id, name);
      }
      return Object.fromEntries([...names].map(([id, name]) => [id, written[name]]));
    }),
);

export const overrides = kindOf<readonly PaneOverride[]>(
  "overrides",
  `a list of {target, name, kind, star}; kind is one of ${PaneKind.options.join(", ")}`,
  (brands) =>
    listOf(
      itemOf("{key} must be a list of objects", {
        target: checked(Text, targetFault).default(""),
        name: Text.transform((name) =>
          firstCharacters(name.trim(), MAX_OVERRIDE_NAME_CHARS),
        ).default(""),
        kind: oneOf([...PaneKind.options, ""], brands ? KIND_ALIASES : undefined)
          .transform((kind) => (kind === "" ? null : kind))
          .default(null),
        star: YesOrNo.default(false),
      }),
    )
      .max(MAX_OVERRIDES, `too many overrides (max ${MAX_OVERRIDES})`)
      // One override for a target: a second one would give two placeholders one id. The last wins.
      .transform((all) => {
        const named = all.filter(({ target }) => target.trim() !== "");
        return [...new Map(named.map((one) => [one.target, one])).values()];
      }),
);

export const roots = kindOf<readonly CreationRoot[]>(
  "roots",
  "a list of {label, path}; path is absolute or begins with ~",
  () => listOf(Root),
);

export const hosts = kindOf<readonly HostConfig[]>(
  "hosts",
  "a list of {name, ssh, watch, roots, disable_auto_rename}; ssh is a destination as ssh takes it",
  () =>
    listOf(
      itemOf("{key} must be a list of {name, ssh}", {
        name: checked(Text, quoting(nameFault)),
        ssh: checked(Text, quoting(destinationFault)),
        watch: YesOrNo.default(true),
        roots: listOf(Root).optional(),
        disable_auto_rename: YesOrNo.optional(),
      }),
    )
      .max(MAX_HOSTS, `too many hosts (max ${MAX_HOSTS})`)
      .superRefine((all, context) => {
        const names = all.map(({ name }) => name);
        const index = names.findIndex((name, at) => names.indexOf(name) < at);
        if (index < 0) return;
        const message = `two hosts are called ${names[index]}`;
        context.addIssue({ code: "custom", message, path: [index, "name"] });
      }),
);

function quoting(fault: Fault): Fault {
  return (value) => {
    const found = fault(value);
    return found && `{key} ${found}: ${shown(value)}`;
  };
}

export function isHomeOrAbsolute(path: string): boolean {
  return isAbsolute(path) || path === "~" || path.startsWith("~/");
}

const Text = z.string("{key} must be text");
const YesOrNo = z.boolean("{key} must be a boolean");
const Root = itemOf("{key} must be a list of {label, path}", {
  path: checked(Text.min(1, "{key} must be text"), (path) =>
    isHomeOrAbsolute(path) ? null : "{key} must be absolute or begin with ~",
  ),
  label: Text.default(""),
}).transform(({ label, path }): CreationRoot => ({ label: label || path, path }));

function checked(schema: z.ZodString, fault: Fault) {
  return schema.superRefine((value, context) => {
    const message = fault(value);
    if (message !== null) context.addIssue(message);
  });
}

function listOf<T extends z.ZodType>(item: T) {
  return z.array(item, "{key} must be a list");
}

function mapOf<T extends z.ZodType>(value: T) {
  return z.record(z.string(), value, "{key} must be a map");
}

/** An object of a list; null stands for a member that is not given. */
function itemOf<T extends z.core.$ZodLooseShape>(refusal: string, shape: T) {
  const given = (raw: unknown) => {
    const entries = isObject(raw)
      ? Object.entries(raw).filter(([, value]) => value !== null)
      : null;
    return entries ? Object.fromEntries(entries) : raw;
  };
  return z.preprocess(given, z.object(shape, refusal));
}

function oneOf<const T extends string>(of: readonly T[], brands?: ReadonlyMap<string, T>) {
  const named = (raw: unknown) => (typeof raw === "string" ? (brands?.get(raw) ?? raw) : raw);
  const refusal = ({ input }: { input?: unknown }) => `bad {key}: ${shown(input)}`;
  return z.preprocess(named, z.enum(of, { error: refusal }));
}

function argumentList() {
  const word = z
    .string("{key} must be a list of text")
    .max(MAX_ARGUMENT_CHARS, `{key} has an argument over ${MAX_ARGUMENT_CHARS} characters`)
    .refine((text) => !text.includes("\0"), "{key} has a NUL character");
  return z
    .array(word, "{key} must be a list of text")
    .refine(([first]) => first !== undefined && first !== "", "{key} names no executable")
    .max(MAX_ARGUMENTS, `{key} has more than ${MAX_ARGUMENTS} arguments`);
}

function targetFault(target: string): string | null {
  const isLong = firstCharacters(target, MAX_TARGET_CHARS) !== target;
  return isLong ? `target too long (max ${MAX_TARGET_CHARS} characters)` : null;
}

const ITEM_KEYS: Readonly<Record<string, readonly string[]>> = {
  overrides: ["target", "name", "kind", "star"],
  roots: ["label", "path"],
  hosts: ["name", "ssh", "watch", "roots", "disable_auto_rename"],
};

/** A member of an item that is a list too has the kind of its name. */
function unknownKeys(kind: string, raw: unknown): string[] {
  const known = ITEM_KEYS[kind];
  if (known === undefined || !Array.isArray(raw)) return [];
  return raw.flatMap((item: object, index) =>
    Object.entries(item).flatMap(([key, value]) =>
      known.includes(key)
        ? unknownKeys(key, value)
        : [`[${index}]: unknown key ${shown(key)}${didYouMean(key, known)}`],
    ),
  );
}

function quoteHint(raw: unknown): string {
  return typeof raw === "number" || typeof raw === "boolean" ? `; write it in quotes` : "";
}
