import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import type { ZodType } from "zod";
import { AppError, type ErrorKind } from "../errors.ts";

/** Bytes of a JSON request body (decisions, section 2). */
export const MAX_JSON_BYTES = 1024 * 1024;

export interface SchemaIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/**
 * Parses the JSON body once, at the edge; handlers read `c.req.valid("json")`.
 * Refuses with 415 (a content type that is present and not JSON), 413 (over 1 MiB), 422 (malformed
 * JSON, or a schema failure with its issues).
 */
export const validJson = <T extends ZodType>(schema: T) =>
  zValidator("json", schema, (result) => {
    if (!result.success) throw schemaError("body", result.error.issues);
  });

/** The same for the query string: `c.req.valid("query")`. */
export const validQuery = <T extends ZodType>(schema: T) =>
  zValidator("query", schema, (result) => {
    if (!result.success) throw schemaError("query", result.error.issues);
  });

interface ZodIssue {
  path: PropertyKey[];
  message: string;
  code: string;
}

export function schemaError(where: "body" | "query", issues: readonly ZodIssue[]): AppError {
  const detail: SchemaIssue[] = issues.map((issue) => ({
    loc: [where, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))],
    msg: issue.message,
    type: issue.code,
  }));
  return new AppError("malformed", `the ${where} does not fit its schema`, detail);
}

/**
 * Goes before every JSON endpoint: content type, size, and syntax, so that `validJson` (or a
 * handler with a check of its own) reads `c.req.json()` without a failure of its own.
 */
export const jsonBody: MiddlewareHandler = async (c, next) => {
  requireJsonType(c);
  const text = await readText(c);
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new AppError(
      "malformed",
      "the body is not JSON",
      [{ loc: ["body"], msg: "the body is not valid JSON", type: "json_invalid" }],
      { cause },
    );
  }
  await next();
};

function requireJsonType(c: Context): void {
  const type = c.req.header("content-type");
  if (type === undefined) {
    // The validator reads a body only under a JSON type; an absent one means JSON here.
    c.req.raw.headers.set("content-type", "application/json");
    return;
  }
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type))
    refuse("unsupported_media", `expected application/json`);
}

async function readText(c: Context): Promise<string> {
  const declared = Number(c.req.header("content-length") ?? 0);
  if (declared > MAX_JSON_BYTES) refuse("too_large", "the body exceeds the 1 MiB limit");
  const text = await c.req.text();
  if (Buffer.byteLength(text) > MAX_JSON_BYTES)
    refuse("too_large", "the body exceeds the 1 MiB limit");
  return text;
}

function refuse(kind: ErrorKind, message: string): never {
  throw new AppError(kind, message);
}
