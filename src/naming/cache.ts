import { access } from "node:fs/promises";
import type { JsonFile } from "../lib/json-file.ts";

export const NAMES_FILE = "panewatch-names.json";
export const LIFETIME_SECONDS = 6 * 3600;
const MAX_NAMES = 500;

/** `at`: epoch seconds. */
type Names = Record<string, { name: string; at: number }>;

/** Names that a model gave, by what they were given for; kept over restarts, for some hours. */
export class NameCache {
  readonly #file: JsonFile;
  #names: Names = {};
  #isSaved = false;

  constructor(file: JsonFile) {
    this.#file = file;
  }

  async load(): Promise<void> {
    const content = await this.#file.read();
    if (content === null) return;
    const names = parseNames(content);
    if (names === null) return await this.#file.moveAside("not a list of names");
    this.#names = names;
    this.#isSaved = true;
  }

  find(key: string, now: number): string | null {
    const entry = Object.hasOwn(this.#names, key) ? this.#names[key] : undefined;
    return entry && now - entry.at < LIFETIME_SECONDS ? entry.name : null;
  }

  async add(key: string, name: string, now: number): Promise<void> {
    const fresh = Object.entries({ ...this.#names, [key]: { name, at: now } })
      .filter(([, { at }]) => now - at < LIFETIME_SECONDS)
      .toSorted(([, a], [, b]) => b.at - a.at);
    this.#names = Object.fromEntries(fresh.slice(0, MAX_NAMES));
    await this.#file.write(this.#names);
    this.#isSaved = true;
  }

  /** A person may have emptied it from outside, by removing the file. */
  async notice(): Promise<void> {
    if (!this.#isSaved) return;
    const exists = await access(this.#file.path).then(
      () => true,
      () => false,
    );
    if (exists) return;
    this.#names = {};
    this.#isSaved = false;
  }
}

function parseNames(content: unknown): Names | null {
  if (typeof content !== "object" || content === null || Array.isArray(content)) return null;
  const names: Names = {};
  for (const [key, entry] of Object.entries(content)) {
    const { name, at }: { name?: unknown; at?: unknown } = Object(entry);
    if (typeof name !== "string" || typeof at !== "number") return null;
    names[key] = { name, at };
  }
  return names;
}
