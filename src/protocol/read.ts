import type { ReadBodies, Shape } from "./shapes.ts";

/**
 * What a client sees of `T`: every word of a closed list may be one that it does not know, and is
 * `unknown` then, with what was sent as `raw_<member>` beside it. Members that it does not know pass.
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
 * What was read, or why it cannot be what the contract promises. Looked at are lists, objects and words on
 * the way to a closed list of words, and whether all is there that must be: what else a server tells
 * is drawn as text, and the version that it tells first says whether it is ours.
 */
export type ReadResult<T> = { ok: true; value: T } | { ok: false; error: string };

class Malformed extends Error {}

/** What a client sees of a body that it reads. */
export type TolerantBody<Name extends keyof ReadBodies> = Tolerant<ReadBodies[Name]>;

/** A reader of bodies by the shape of that name; an error calls a body by what it is. */
export const bodyReader =
  <Name extends keyof ReadBodies>(shape: Shape, what = "the reply") =>
  (body: unknown): ReadResult<TolerantBody<Name>> =>
    readAs<TolerantBody<Name>>(shape, () => body, what);

/**
 * Reads what `parse` gives, by a shape. `S` is what a client sees of the schema behind that shape: the
 * compiler cannot know that they belong together.
 */
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
  const seen: Record<string, unknown> = { ...value };
  for (const name of shape.needs ?? [])
    if (seen[name] === undefined) fail(`${path}.${name}`, "there");
  for (const [member, each] of Object.entries(shape.members)) {
    const sent = seen[member];
    const item = read(each, sent, `${path}.${member}`);
    if (item !== undefined) seen[member] = item;
    // A person is told the server's own word.
    if (item === "unknown") seen[`raw_${member}`] = sent;
  }
  return seen;
}
