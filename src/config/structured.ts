import { isAbsolute } from "node:path";
import { KIND_ALIASES } from "../detect/agents.ts";
import {
  MAX_PATTERN_CHARS,
  MAX_PATTERNS,
  patternFault,
  type PatternFault,
} from "../detect/pattern-rules.ts";
import { didYouMean, splitWords } from "../lib/words.ts";
import { firstCharacters } from "../protocol/characters.ts";
import { MAX_OVERRIDES, type PaneOverride } from "../protocol/config.ts";
import { type CreationRoot, RUNTIME_IDS, type RuntimeId } from "../protocol/creation.ts";
import { type HostConfig, MAX_HOSTS } from "../protocol/hosts.ts";
import { MAX_TARGET_CHARS, PaneKind } from "../protocol/pane.ts";
import { destinationFault, nameFault } from "./checks.ts";
import {
  accepted,
  type Declared,
  type Field,
  isObject,
  type ReadValue,
  refused,
  shown,
} from "./field.ts";

const MAX_OVERRIDE_NAME_CHARS = 80;
const MAX_ARGUMENTS = 64;
const MAX_ARGUMENT_CHARS = 1000;

/** Runtime id -> argument list; `shell` is implicit and has none. */
type Runtimes = Readonly<Partial<Record<Exclude<RuntimeId, "shell">, readonly string[]>>>;

/** A command line: text in the manner of a shell's words (no shell ever sees it), or a list. */
export function command(declared: Declared<readonly string[]>): Field<readonly string[]> {
  return {
    ...declared,
    kind: "command",
    allowed: "a command with its arguments: text (quotes group words) or a list of text",
    read(raw, { key }) {
      const words = typeof raw === "string" ? splitWords(raw) : raw;
      if (words === null) return refused(`${key} has a quote without its end`);
      const reading = readArguments(words);
      return "refused" in reading ? refused(`${key} ${reading.refused}`, reading.at) : reading;
    },
  };
}

export function overrides(
  declared: Declared<readonly PaneOverride[]>,
): Field<readonly PaneOverride[]> {
  return {
    ...declared,
    kind: "overrides",
    allowed: `a list of {target, name, kind, star}; kind is one of ${PaneKind.options.join(", ")}`,
    read(raw, { key, brands }) {
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_OVERRIDES)
        return refused(`too many overrides (max ${MAX_OVERRIDES})`, [MAX_OVERRIDES]);
      const notes: string[] = [];
      // One override for a target: a second one would give two placeholders one id. The last wins.
      const byTarget = new Map<string, PaneOverride>();
      for (const [index, item] of raw.entries()) {
        if (!isObject(item)) return refused(`${key} must be a list of objects`, [index]);
        const { target = "", name = "", kind = null, star = false } = withoutNulls(item);
        if (typeof target !== "string") return refused("target must be text", [index, "target"]);
        if (typeof name !== "string") return refused("name must be text", [index, "name"]);
        if (firstCharacters(target, MAX_TARGET_CHARS) !== target)
          return refused(`target too long (max ${MAX_TARGET_CHARS} characters)`, [index, "target"]);
        if (typeof star !== "boolean") return refused("star must be a boolean", [index, "star"]);
        const named = kind === "" ? null : brandedKind(kind, brands);
        if (named !== null && !isPaneKind(named))
          return refused(`bad kind: ${shown(kind)}`, [index, "kind"]);
        notes.push(...unknownKeys(item, ["target", "name", "kind", "star"], `[${index}]`));
        if (target.trim() === "") continue;
        byTarget.set(target, {
          target,
          name: firstCharacters(name.trim(), MAX_OVERRIDE_NAME_CHARS),
          kind: named,
          star,
        });
      }
      return accepted([...byTarget.values()], ...notes);
    },
  };
}

export function roots(declared: Declared<readonly CreationRoot[]>): Field<readonly CreationRoot[]> {
  return {
    ...declared,
    kind: "roots",
    allowed: "a list of {label, path}; path is absolute or begins with ~",
    read(raw, { key }) {
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      const notes: string[] = [];
      const result: CreationRoot[] = [];
      for (const [index, item] of raw.entries()) {
        if (!isObject(item)) return refused(`${key} must be a list of {label, path}`, [index]);
        const { label, path } = withoutNulls(item);
        if (typeof path !== "string" || path === "")
          return refused("path must be text", [index, "path"]);
        if (!isHomeOrAbsolute(path))
          return refused("path must be absolute or begin with ~", [index, "path"]);
        if (label !== undefined && typeof label !== "string")
          return refused("label must be text", [index, "label"]);
        notes.push(...unknownKeys(item, ["label", "path"], `[${index}]`));
        result.push({ label: label || path, path });
      }
      return accepted(result, ...notes);
    },
  };
}

export function runtimes(declared: Declared<Runtimes>): Field<Runtimes> {
  const ids = RUNTIME_IDS.filter((id) => id !== "shell");
  return {
    ...declared,
    kind: "runtimes",
    allowed: `a map from ${ids.join(", ")} to an argument list`,
    read(raw, { key, brands }) {
      if (!isObject(raw)) return refused(`${key} must be a map`);
      const written = new Map<string, string>();
      const result: Partial<Record<Exclude<RuntimeId, "shell">, readonly string[]>> = {};
      for (const [name, words] of Object.entries(raw)) {
        const named = brandedKind(name, brands);
        const id = ids.find((one) => one === named);
        if (id === undefined) return refused(`unknown runtime ${shown(name)}`, [name]);
        const before = written.get(id);
        if (before !== undefined)
          return refused(`${before} and ${name} are one runtime; keep one of them`, [name]);
        written.set(id, name);
        const reading = readArguments(words);
        if ("refused" in reading)
          return refused(`${name} ${reading.refused}`, [name, ...reading.at]);
        result[id] = reading.value;
      }
      return accepted(result);
    },
  };
}

export function textMap(
  declared: Declared<Readonly<Record<string, string>>> & { allowed: string },
): Field<Readonly<Record<string, string>>> {
  return {
    ...declared,
    kind: "map",
    read(raw, { key }) {
      if (!isObject(raw)) return refused(`${key} must be a map`);
      const entries: [string, string][] = [];
      for (const [name, value] of Object.entries(raw)) {
        if (typeof value !== "string") return refused(`${name} must be text`, [name]);
        entries.push([name, value]);
      }
      return accepted(Object.fromEntries(entries));
    },
  };
}

export function isHomeOrAbsolute(path: string): boolean {
  return isAbsolute(path) || path === "~" || path.startsWith("~/");
}

/** An argument list; what is refused reads on from the name of the setting. */
function readArguments(raw: unknown): ReadValue<readonly string[]> {
  if (!Array.isArray(raw)) return refused("must be a list of text");
  if (raw.length === 0 || raw[0] === "") return refused("names no executable");
  if (raw.length > MAX_ARGUMENTS) return refused(`has more than ${MAX_ARGUMENTS} arguments`);
  const words: string[] = [];
  for (const [index, word] of raw.entries()) {
    if (typeof word !== "string") return refused("must be a list of text", [index]);
    if (word.length > MAX_ARGUMENT_CHARS)
      return refused(`has an argument over ${MAX_ARGUMENT_CHARS} characters`, [index]);
    if (word.includes("\0")) return refused("has a NUL character", [index]);
    words.push(word);
  }
  return accepted(words);
}

function brandedKind(kind: unknown, brands: boolean): unknown {
  return brands && typeof kind === "string" ? (KIND_ALIASES.get(kind) ?? kind) : kind;
}

function isPaneKind(kind: unknown): kind is PaneKind {
  return PaneKind.options.some((one) => one === kind);
}

function withoutNulls(item: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null));
}

function unknownKeys(item: object, known: readonly string[], where: string): string[] {
  return Object.keys(item)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}: unknown key ${shown(key)}${didYouMean(key, known)}`);
}

/** Regular expressions of the user; one that could backtrack without end is refused everywhere. */
export function patterns(declared: Declared<readonly string[]>): Field<readonly string[]> {
  return {
    ...declared,
    kind: "patterns",
    allowed:
      `a list of at most ${MAX_PATTERNS} regular expressions of at most ` +
      `${MAX_PATTERN_CHARS} characters, without nested quantifiers`,
    read(raw, { key }) {
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_PATTERNS)
        return refused(`too many patterns (max ${MAX_PATTERNS})`, [MAX_PATTERNS]);
      for (const [index, pattern] of raw.entries()) {
        if (typeof pattern !== "string") return refused(`${key} must be a list of text`, [index]);
        const fault = patternFault(pattern);
        if (fault !== null) return refused(faultText(fault, pattern), [index]);
      }
      // An empty line of a form, which would match everywhere: every pane would be an error.
      return accepted(raw.map(String).filter((pattern) => pattern.trim() !== ""));
    },
  };
}

function faultText(fault: PatternFault, pattern: string): string {
  switch (fault.kind) {
    case "too_long":
      return `pattern too long (max ${MAX_PATTERN_CHARS} chars)`;
    case "bad_regex":
      return `bad regex ${shown(pattern)}: ${fault.message}`;
    case "nested_quantifier":
      return `nested quantifier in ${shown(pattern)}`;
  }
}

const KEYS = ["name", "ssh", "watch", "roots", "disable_auto_rename"];
const ROOTS = roots({ default: [], help: "" });

export function hosts(declared: Declared<readonly HostConfig[]>): Field<readonly HostConfig[]> {
  return {
    ...declared,
    kind: "hosts",
    allowed:
      "a list of {name, ssh, watch, roots, disable_auto_rename}; ssh is a destination as ssh takes it",
    read(raw, context) {
      const { key } = context;
      if (!Array.isArray(raw)) return refused(`${key} must be a list`);
      if (raw.length > MAX_HOSTS) return refused(`too many hosts (max ${MAX_HOSTS})`, [MAX_HOSTS]);
      const notes: string[] = [];
      const result: HostConfig[] = [];
      for (const [index, item] of raw.entries()) {
        if (!isObject(item)) return refused(`${key} must be a list of {name, ssh}`, [index]);
        const { name, ssh, watch = true, roots: folders, ...more } = withoutNulls(item);
        const { disable_auto_rename } = more;
        if (typeof name !== "string") return refused("name must be text", [index, "name"]);
        if (typeof ssh !== "string") return refused("ssh must be text", [index, "ssh"]);
        if (typeof watch !== "boolean") return refused("watch must be a boolean", [index, "watch"]);
        if (disable_auto_rename !== undefined && typeof disable_auto_rename !== "boolean")
          return refused("disable_auto_rename must be a boolean", [index, "disable_auto_rename"]);
        const badName = nameFault(name);
        if (badName) return refused(`name ${badName}: ${shown(name)}`, [index, "name"]);
        const badPlace = destinationFault(ssh);
        if (badPlace) return refused(`ssh ${badPlace}: ${shown(ssh)}`, [index, "ssh"]);
        if (result.some((host) => host.name === name))
          return refused(`two hosts are called ${name}`, [index, "name"]);
        notes.push(...unknownKeys(item, KEYS, `[${index}]`));
        const host = { name, ssh, watch, ...(disable_auto_rename ? { disable_auto_rename } : {}) };
        if (folders === undefined) {
          result.push(host);
          continue;
        }
        const read = ROOTS.read(folders, { ...context, key: "roots" });
        if ("refused" in read) return refused(read.refused, [index, "roots", ...read.at]);
        notes.push(...read.notes);
        result.push({ ...host, roots: [...read.value] });
      }
      return accepted(result, ...notes);
    },
  };
}
