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

/**
 * A value, or why it is not what the contract promises. Checked are required members and the types
 * on the way to closed lists of words. All else is drawn as text, by a server of a known version.
 */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; error: string };

class Malformed extends Error {}

export type TolerantBody<Name extends keyof ReadBodies> = Tolerant<ReadBodies[Name]>;

/** @param what how an error calls the body */
export const bodyReader =
  <Name extends keyof ReadBodies>(shape: Shape, what = "the reply") =>
  (body: unknown): ReadResult<TolerantBody<Name>> =>
    readAs<TolerantBody<Name>>(shape, () => body, what);

/** Reads a value by a shape. The compiler cannot know that `S` and the shape belong together. */
export function readAs<S>(shape: Shape, parse: () => unknown, path: string): ReadResult<S> {
  try {
    return { ok: true, value: read(shape, parse(), path) as S };
  } catch (cause) {
    if (cause instanceof Malformed || cause instanceof SyntaxError)
      return { ok: false, error: cause.message };
    throw cause;
  }
}

function fail(path: string, expected: string): never {
  throw new Malformed(`${path} is not ${expected}`);
}

function read(shape: Shape, value: unknown, path: string): unknown {
  if ("maybe" in shape)
    return value === null || value === undefined ? value : read(shape.maybe, value, path);
  if ("enum" in shape) {
    if (typeof value !== "string") fail(path, "a string");
    return shape.enum.includes(value) ? value : "unknown";
  }
  if ("list" in shape) {
    if (!Array.isArray(value)) fail(path, "a list");
    return value.map((item, index) => read(shape.list, item, `${path}[${index}]`));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) fail(path, "an object");
  if ("record" in shape)
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        read(shape.record, item, `${path}.${name}`),
      ]),
    );
  if ("frames" in shape) {
    const type = String(Reflect.get(value, "type"));
    const frame = Object.hasOwn(shape.frames, type) ? shape.frames[type] : undefined;
    return frame === undefined ? { type: "unknown" } : read(frame, value, path);
  }
  const result: Record<string, unknown> = { ...value };
  for (const name of shape.needs ?? [])
    if (result[name] === undefined) fail(`${path}.${name}`, "there");
  for (const [member, each] of Object.entries(shape.members)) {
    const raw = result[member];
    const item = read(each, raw, `${path}.${member}`);
    if (item !== undefined) result[member] = item;
    // The page shows the server's own word.
    if (item === "unknown") result[`raw_${member}`] = raw;
  }
  return result;
}
