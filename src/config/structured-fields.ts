import { isAbsolute } from "node:path";
import { z } from "zod";
import { KIND_ALIASES } from "../detect/agents.ts";
import { MAX_PATTERN_CHARS, MAX_PATTERNS, patternFault } from "../detect/pattern-rules.ts";
import { isObject } from "../lib/json.ts";
import { describeValue, splitWords } from "../lib/words.ts";
import { firstCharacters } from "../protocol/characters.ts";
import { MAX_OVERRIDES, type PaneOverride } from "../protocol/config.ts";
import { type CreationRoot, RuntimeId } from "../protocol/creation.ts";
import { type HostConfig, MAX_HOSTS } from "../protocol/hosts.ts";
import { MAX_TARGET_CHARS, PaneKind } from "../protocol/pane.ts";
import { destinationFault, type Fault, nameFault } from "./checks.ts";
import { checked, kindOf, listOf, mapOf, oneOf, Text, YesOrNo } from "./field.ts";

const MAX_OVERRIDE_NAME_CHARS = 80;
const MAX_ARGUMENTS = 64;
const MAX_ARGUMENT_CHARS = 1000;

/** Regular expressions of the user; those that could backtrack without end are refused. */
export const patterns = kindOf<readonly string[]>(
  "patterns",
  `a list of at most ${MAX_PATTERNS} regular expressions of at most ` +
    `${MAX_PATTERN_CHARS} characters, without nested quantifiers`,
  () =>
    listOf(checked(z.string("{key} must be a list of text"), patternFault))
      .max(MAX_PATTERNS, `too many patterns (max ${MAX_PATTERNS})`)
      // An empty line of a form would match everywhere, and make every pane an error.
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

const AGENT_IDS = RuntimeId.options.filter((id) => id !== "shell");

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
        if (!AGENT_IDS.some((one) => one === id)) refuse(`unknown runtime ${describeValue(name)}`);
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
      // The last override of a target wins: two would give two placeholders one id.
      .transform((all) => {
        const named = all.filter(({ target }) => target.trim() !== "");
        return [...new Map(named.map((one) => [one.target, one])).values()];
      }),
);

export const roots = kindOf<readonly CreationRoot[]>(
  "roots",
  "a list of {label, path}; path is absolute, ~ or begins with ~/",
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

export function isHomeOrAbsolute(path: string): boolean {
  return isAbsolute(path) || path === "~" || path.startsWith("~/");
}

const Root = itemOf("{key} must be a list of {label, path}", {
  path: checked(Text.min(1, "{key} must be text"), (path) =>
    isHomeOrAbsolute(path) ? null : "{key} must be absolute, ~ or begin with ~/",
  ),
  label: Text.default(""),
}).transform(({ label, path }): CreationRoot => ({ label: label || path, path }));

function quoting(fault: Fault): Fault {
  return (value) => {
    const found = fault(value);
    return found && `{key} ${found}: ${describeValue(value)}`;
  };
}

/** An object of a list, in which null stands for an absent member. */
function itemOf<T extends z.core.$ZodLooseShape>(refusal: string, shape: T) {
  const given = (raw: unknown) => {
    const entries = isObject(raw)
      ? Object.entries(raw).filter(([, value]) => value !== null)
      : null;
    return entries ? Object.fromEntries(entries) : raw;
  };
  return z.preprocess(given, z.object(shape, refusal));
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
