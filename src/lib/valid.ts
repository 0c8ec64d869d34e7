import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { validator } from "hono/validator";
import type { z, ZodType } from "zod";
import { AppError } from "../errors.ts";
import { parseJson } from "./json.ts";

/** Of a JSON request body. */
export const MAX_JSON_BYTES = 1024 * 1024;

export interface SchemaIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The part of a request's environment that the reading of a body uses. */
export interface Arriving {
  /** To be called once the body has been read to its end. */
  arrived?(): void;
}

type Body<In, Out> = MiddlewareHandler<
  { Bindings: Arriving },
  string,
  { in: { json: In }; out: { json: Out } }
>;

/**
 * Parses the JSON body once, at the edge; handlers read `c.req.valid("json")`.
 * Refuses with 415 (a content type that is present and not JSON), 413 (over 1 MiB), 422 (malformed
 * JSON, or a schema failure with its issues).
 */
export function validJson<T extends ZodType>(schema: T): Body<z.input<T>, z.output<T>> {
  return async (c, next) => {
    const body = requireValid("body", schema, await readJson(c));
    // Hono's type admits objects only, but the value is stored and returned unchanged.
    c.req.addValidatedData("json", body as object);
    await next();
  };
}

/** For handlers with a check of their own instead of a schema. */
export const jsonBody: Body<unknown, unknown> = async (c, next) => {
  c.req.addValidatedData("json", (await readJson(c)) as object);
  await next();
};

/** The same for the query string: `c.req.valid("query")`. */
export const validQuery = <T extends ZodType>(schema: T) =>
  validator("query", (query) => requireValid("query", schema, query));

function requireValid<T extends ZodType>(
  where: "body" | "query",
  schema: T,
  value: unknown,
): z.output<T> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw schemaError(where, parsed.error.issues);
  return parsed.data;
}

const MAX_LOGGED_ISSUES = 5;

interface ZodIssue {
  path: PropertyKey[];
  message: string;
  code: string;
}

function schemaError(where: "body" | "query", issues: readonly ZodIssue[]): AppError {
  const detail: SchemaIssue[] = issues.map((issue) => ({
    loc: [where, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))],
    msg: issue.message,
    type: issue.code,
  }));
  // For the log: paths and kinds of the failures, never the values.
  const shown = detail.slice(0, MAX_LOGGED_ISSUES);
  const places = shown.map(({ loc, type }) => `${loc.join(".")} ${type}`).join(", ");
  return new AppError("malformed", `the ${where} does not fit its schema (${places})`, detail);
}

async function readJson(c: Context<{ Bindings: Arriving }>): Promise<unknown> {
  requireJsonType(c.req.header("content-type"));
  const bytes = await readBytes(c);
  c.env?.arrived?.();
  const value = parseJson(decodeText(bytes));
  if (value === undefined) throw notJson();
  return value;
}

function requireJsonType(type: string | undefined): void {
  if (type === undefined || /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return;
  throw new AppError("unsupported_media", "expected application/json");
}

function decodeText(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notJson();
  }
}

// Counts while reading: a body without a declared length is cut at the limit, not buffered first.
const limitSize = bodyLimit({
  maxSize: MAX_JSON_BYTES,
  onError: () => {
    throw tooLarge();
  },
});

/** A client that disconnects is an expected end, not a fault of ours. */
async function readBytes(c: Context): Promise<ArrayBuffer> {
  try {
    await limitSize(c, async () => {});
    return await c.req.raw.arrayBuffer();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid", "the body ended too early", undefined, { cause });
  }
}

function tooLarge(): AppError {
  return new AppError("too_large", "the body exceeds the 1 MiB limit");
}

/** Without a cause: the parser's message quotes the body, which must not reach the log. */
function notJson(): AppError {
  const issue: SchemaIssue = {
    loc: ["body"],
    msg: "the body is not valid JSON",
    type: "json_invalid",
  };
  return new AppError("malformed", "the body is not JSON", [issue]);
}
