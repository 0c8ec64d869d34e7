import type { ReadBodies, Shape } from "./shapes.ts";

/**
 * `T` as a client reads it: an unknown word of a closed list becomes `unknown`, and stands itself
 * in `raw_<member>` beside it. Unknown members stay.
 */
export type Tolerant<T> = T extends string
  ? string extends T
    ? T
    : T | "unknown"
  : T extends readonly (infer Item)[]
    ? Tolerant<Item>[]
    : T extends object
      ? { [Member in keyof T]: Tolerant<T[Member]> }
      : T;

class Malformed extends Error {}

export type TolerantBody<Name extends keyof ReadBodies> = Tolerant<ReadBodies[Name]>;

export const bodyReader =
  <Name extends keyof ReadBodies>(shape: Shape) =>
  (body: unknown): TolerantBody<Name> | null =>
    readAs<TolerantBody<Name>>(shape, () => body);

/**
 * Null where the value is not what the contract promises. Checked are required members and the
 * types on the way to closed lists of words; all else is drawn as text, by a server of a known
 * version. The compiler cannot know that `S` and the shape belong together.
 */
export function readAs<S extends object>(shape: Shape, parse: () => unknown): S | null {
  try {
    return read(shape, parse()) as S;
  } catch (cause) {
    if (cause instanceof Malformed || cause instanceof SyntaxError) return null;
    throw cause;
  }
}

/** @throws Malformed */
function read(shape: Shape, value: unknown): unknown {
  if ("maybe" in shape)
    return value === null || value === undefined ? value : read(shape.maybe, value);
  if ("enum" in shape) {
    if (typeof value !== "string") throw new Malformed();
    return shape.enum.includes(value) ? value : "unknown";
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) throw new Malformed();
    return value.map((item) => read(shape.list, item));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Malformed();
  if ("record" in shape)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, read(shape.record, item)]),
    );
  if ("frames" in shape) {
    const type = String(Reflect.get(value, "type"));
    const frame = Object.hasOwn(shape.frames, type) ? shape.frames[type] : undefined;
    return frame === undefined ? { type: "unknown" } : read(frame, value);
  }
  const result: Record<string, unknown> = { ...value };
  for (const name of shape.needs ?? []) if (result[name] === undefined) throw new Malformed();
  for (const [member, each] of Object.entries(shape.members)) {
    const raw = result[member];
    const item = read(each, raw);
    if (item !== undefined) result[member] = item;
    // The page shows the server's own word.
    if (item === "unknown") result[`raw_${member}`] = raw;
  }
  return result;
}
