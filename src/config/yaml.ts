import { stat } from "node:fs/promises";
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Document,
  type Pair,
  type YAMLMap,
  type YAMLParseError,
} from "yaml";
import { codeOf, StartupError } from "../errors.ts";
import { type Field, type ValuePath } from "./field.ts";
import { CONFIG_KEYS, FIELDS, IGNORED_YAML_KEYS, isConfigKey, type ConfigKey } from "./fields.ts";
import { didYouMean, describeValue } from "../lib/words.ts";
import { layerOf, readField } from "./resolve.ts";

const MAX_YAML_BYTES = 1024 * 1024;
/** Bounds what aliases may multiply a small file to. */
const MAX_ALIASES = 100;

/**
 * YAML path with a brand name -> declared path; a section stands for all below it. No plain object,
 * since the names come from a file, and "constructor" must find nothing.
 */
export const PATH_BRANDS: ReadonlyMap<string, string> = new Map([
  ["tmux", "mux"],
  ["terminal.herdr", "terminal.wsp"],
  ["agents.claude_home", "agents.agent_a_home"],
  ["agents.codex_home", "agents.agent_b_home"],
]);

const SECTIONS: ReadonlySet<string> = new Set(
  CONFIG_KEYS.flatMap((key) => {
    const parts = key.split(".");
    return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
  }),
);

/** @throws StartupError when the file is missing, unreadable, or not allowed in what it says. */
export async function readYaml(path: string) {
  return parseYaml(await readText(path), path);
}

/** @throws StartupError with file, line, column, key and what is allowed */
export function parseYaml(source: string, file: string) {
  try {
    return new YamlReader(source, file).read();
  } catch (error) {
    if (error instanceof RangeError) throw new StartupError(`${file}: nested too deeply`);
    throw error;
  }
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_YAML_BYTES) throw new StartupError(`${path}: larger than 1 MiB`);
    return new TextDecoder("utf-8", { fatal: true }).decode(await Bun.file(path).bytes());
  } catch (cause) {
    if (cause instanceof StartupError) throw cause;
    const code = codeOf(cause);
    const reasons = new Map<unknown, string>([
      ["ENOENT", "no such file"],
      ["EACCES", "permission denied"],
      ["EISDIR", "it is a directory"],
      ["ERR_ENCODING_INVALID_ENCODED_DATA", "it is not UTF-8"],
    ]);
    const reason = reasons.get(code) ?? String(code ?? cause);
    throw new StartupError(`cannot read the configuration ${path}: ${reason}`, { cause });
  }
}

class YamlReader {
  readonly #source: string;
  readonly #file: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;
  readonly #entries: [ConfigKey, unknown][] = [];
  readonly #warnings: string[] = [];

  constructor(source: string, file: string) {
    this.#source = source;
    this.#file = file;
    // No pretty errors: they quote the source, and a line of it may hold the token.
    this.#document = parseDocument(source, {
      lineCounter: this.#lines,
      prettyErrors: false,
      logLevel: "error",
    });
  }

  read() {
    const [error] = this.#document.errors;
    if (error) this.#stop(error.pos[0], this.#wrongBecause(error));
    for (const { pos, message } of this.#document.warnings) this.#warn(pos[0], message);
    const root = this.#resolved(this.#document.contents);
    if (isMap(root)) this.#readSection(root, "", "");
    else if (!isEmpty(root)) this.#stop(startOf(root), "the file must be a map of settings");
    return { layer: layerOf(this.#entries), warnings: this.#warnings };
  }

  #readSection(section: YAMLMap, declaredPrefix: string, writtenPrefix: string): void {
    const spelled = new Map<string, string>();
    for (const pair of section.items) {
      const name = nameOf(pair);
      const written = writtenPrefix + name;
      const path = PATH_BRANDS.get(declaredPrefix + name) ?? declaredPrefix + name;
      const before = spelled.get(path);
      if (before !== undefined)
        this.#stop(startOf(pair.key), `${before} and ${written} are one setting; keep one of them`);
      spelled.set(path, written);
      this.#readPair(pair, path, written);
    }
  }

  #readPair(pair: Pair<unknown, unknown>, path: string, written: string): void {
    const value = this.#resolved(pair.value);
    const at = startOf(pair.key);
    // Neither `server.port: 1` nor `terminal.wsp: {…}` is a way to write a path.
    if (nameOf(pair).includes("."))
      return this.#warn(
        at,
        `unknown key ${describeValue(written)}: sections are nested, not dotted`,
      );
    if (IGNORED_YAML_KEYS.includes(path)) return;
    if (SECTIONS.has(path)) {
      if (isMap(value)) this.#readSection(value, `${path}.`, `${written}.`);
      else if (!isEmpty(value)) this.#stop(startOf(value), `${written}: must be a section`);
      return;
    }
    if (!isConfigKey(path)) {
      this.#warn(at, `unknown key ${describeValue(written)}${didYouMean(path, knownKeys(path))}`);
      return;
    }
    const field: Field<unknown> = FIELDS[path];
    if (field.yaml === false) {
      this.#warn(at, `${written} is switched in the settings page or the API; ignored here`);
      return;
    }
    if (!isEmpty(value)) this.#readValue(path, written, value);
  }

  #readValue(key: ConfigKey, written: string, node: unknown): void {
    const reading = readField(key, this.#plain(node), { name: "value", brands: true });
    if ("refused" in reading) {
      const place = startOf(this.#nodeAt(node, reading.at));
      const path = written + pathText(reading.at);
      this.#stop(place, `${path}: ${reading.refused}; allowed: ${FIELDS[key].allowed}`);
    }
    for (const note of reading.notes) this.#warn(startOf(node), `${written}: ${note}`);
    this.#entries.push([key, reading.value]);
  }

  #plain(node: unknown): unknown {
    if (!isNode(node)) return node;
    try {
      return node.toJS(this.#document, { maxAliasCount: MAX_ALIASES });
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      this.#stop(startOf(node), "an alias here is unknown, or repeats too much");
    }
  }

  #resolved(value: unknown): unknown {
    if (!isAlias(value)) return value;
    const target = value.resolve(this.#document);
    if (!target) this.#stop(startOf(value), `no anchor &${value.source} before this alias`);
    return target;
  }

  #nodeAt(node: unknown, at: ValuePath): unknown {
    const [step, ...rest] = at;
    const here = this.#resolved(node);
    if (step === undefined || !(isMap(here) || isSeq(here))) return here;
    const next: unknown = here.get(step, true);
    return isNode(next) ? this.#nodeAt(next, rest) : here;
  }

  #wrongBecause({ code, pos, message }: YAMLParseError): string {
    if (code !== "DUPLICATE_KEY") return `not valid YAML: ${firstSentence(message)}`;
    return `${/[^\s:"']+/.exec(this.#source.slice(pos[0]))?.[0] ?? ""} is given twice`;
  }

  #stop(offset: number, message: string): never {
    throw new StartupError(this.#located(offset, message));
  }

  #warn(offset: number, message: string): void {
    this.#warnings.push(this.#located(offset, message));
  }

  #located(offset: number, message: string): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${this.#file}:${line}:${col}: ${message}`;
  }
}

function nameOf(pair: Pair<unknown, unknown>): string {
  return String(isScalar(pair.key) ? pair.key.value : pair.key);
}

function isEmpty(value: unknown): boolean {
  return value === null || (isScalar(value) && value.value === null);
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

function pathText(at: ValuePath): string {
  return at.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
}

function knownKeys(path: string): string[] {
  const depth = path.split(".").length;
  const prefix = path.slice(0, path.lastIndexOf(".") + 1);
  return [...CONFIG_KEYS, ...SECTIONS].filter(
    (key) => key.startsWith(prefix) && key.split(".").length === depth,
  );
}

function firstSentence(message: string): string {
  return message.split(/[\n;]/, 1)[0] ?? message;
}
