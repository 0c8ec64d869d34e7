import { foldEvent, NOTHING_KNOWN, type SessionState } from "../../../src/agents/logs/context.ts";
import {
  headOf,
  parseFields,
  type RuntimeReader,
  recordEvents,
} from "../../../src/agents/logs/runtimes/reader.ts";
import { READERS } from "../../../src/agents/logs/runtimes/table.ts";
import { RECORDINGS } from "./recordings.ts";

/** Longer lines are not mutated: they are long by a single text. */
const MAX_MUTATED = 4000;

const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "\u0000\u001b[31m\ud800",
  [],
  {},
  [null, 1, "x", {}, []],
  { type: "text", text: 7 },
  { toString: "x", constructor: null, hasOwnProperty: 1 },
];

/** Reproducible random numbers from 0 to 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Every recorded line of a runtime that is short enough to be mutated. */
function linesOf({ runtime }: RuntimeReader): string[] {
  const folder = runtime === "agent_a" ? "agent-a" : "agent-b";
  return RECORDINGS.filter((recording) => recording.runtime === folder)
    .flatMap(({ files }) => [...files.values()])
    .flatMap((bytes) => bytes.toString("utf8").split("\n"))
    .filter((line) => line !== "" && line.length <= MAX_MUTATED);
}

/** Reads mutated lines and folds their events. @throws Error with the seed for a line that fails */
export function readMutations(count: number, seed: number): { events: number } {
  const random = randomOf(seed);
  const pools = Object.values(READERS).map((reader) => ({ reader, lines: linesOf(reader) }));
  let state: SessionState = NOTHING_KNOWN;
  let events = 0;
  for (let i = 0; i < count; i++) {
    const pool = pools[i % pools.length];
    const line = pool?.lines[Math.floor(random() * pool.lines.length)];
    if (!pool || line === undefined) continue;
    const mutated = mutate(line, random);
    try {
      const bytes = Buffer.from(mutated);
      pool.reader.silent.test(headOf(bytes, 0, bytes.length));
      const fields = parseFields(mutated);
      for (const event of fields === null ? [] : recordEvents(pool.reader, fields)) {
        if (event.at !== null && !Number.isFinite(event.at)) throw new Error("a time is no time");
        if (event.kind === "tool" && event.open) event.steps?.();
        if (event.kind === "tool" && !event.open) event.end?.();
        state = foldEvent(state, event);
        events++;
      }
    } catch (error) {
      throw new Error(`line ${i} of seed ${seed}: ${mutated}`, { cause: error });
    }
    if (i % 1000 === 999) state = NOTHING_KNOWN;
  }
  return { events };
}

function mutate(line: string, random: () => number): string {
  const way = random();
  if (way < 0.3) return cutOrFlip(line, random);
  const value: unknown = JSON.parse(line);
  const times = 1 + Math.floor(random() * 3);
  for (let i = 0; i < times; i++) change(value, random);
  return JSON.stringify(value);
}

function cutOrFlip(line: string, random: () => number): string {
  const at = Math.floor(random() * line.length);
  if (random() < 0.4) return line.slice(0, at);
  const byte = String.fromCharCode(Math.floor(random() * 128));
  return line.slice(0, at) + byte + line.slice(at + 1);
}

/** Changes or deletes one member at any depth. */
function change(value: unknown, random: () => number): void {
  let place: object | null = typeof value === "object" ? value : null;
  while (place !== null) {
    const keys = Object.keys(place);
    const key = keys[Math.floor(random() * keys.length)];
    if (key === undefined) return;
    const inner: unknown = Reflect.get(place, key);
    if (typeof inner === "object" && inner !== null && random() < 0.7) {
      place = inner;
      continue;
    }
    if (random() < 0.3) Reflect.deleteProperty(place, key);
    else Reflect.set(place, key, structuredClone(STRANGE[Math.floor(random() * STRANGE.length)]));
    return;
  }
}
