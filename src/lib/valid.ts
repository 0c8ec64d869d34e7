import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ZodType } from "zod";
import { AppError } from "../errors.ts";

/** Of a JSON request body. */
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
export const validJson = <T extends ZodType>(schema: T) => {
  const validate = zValidator("json", schema, (result) => {
    if (!result.success) throw schemaError("body", result.error.issues);
  });
  const readAndValidate: typeof validate = async (c, next) => {
    await readJson(c);
    return validate(c, next);
  };
  return readAndValidate;
};

/** The same for the query string: `c.req.valid("query")`. */
export const validQuery = <T extends ZodType>(schema: T) =>
  zValidator("query", schema, (result) => {
    if (!result.success) throw schemaError("query", result.error.issues);
  });

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
  // Where and how, for the log; never what was written there.
  const shown = detail.slice(0, MAX_LOGGED_ISSUES);
  const places = shown.map(({ loc, type }) => `${loc.join(".")} ${type}`).join(", ");
  return new AppError("malformed", `the ${where} does not fit its schema (${places})`, detail);
}

/**
 * For handlers with a check of their own instead of a schema: content type, size and syntax are
 * checked as in `validJson`, and `c.req.json()` cannot fail behind it.
 */
export const jsonBody: MiddlewareHandler = async (c, next) => {
  await readJson(c);
  await next();
};

async function readJson(c: Context): Promise<void> {
  requireJsonType(c.req.header("content-type"));
  const body = await readText(c);
  try {
    JSON.parse(body);
  } catch (cause) {
    throw notJson(cause);
  }
  // The validator reads a body only under a JSON type; an absent one means JSON here.
  const headers = new Headers(c.req.raw.headers);
  headers.set("content-type", "application/json");
  c.req.raw = new Request(c.req.raw.url, { method: c.req.method, headers, body });
}

function requireJsonType(type: string | undefined): void {
  if (type === undefined || /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return;
  throw new AppError("unsupported_media", "expected application/json");
}

async function readText(c: Context): Promise<string> {
  const bytes = await readBytes(c);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notJson(cause);
  }
}

// Counts while reading: a body without a declared length is cut at the limit, not held first.
const limitSize = bodyLimit({
  maxSize: MAX_JSON_BYTES,
  onError: () => {
    throw tooLarge();
  },
});

/** A sender that goes away is an expected end, not a fault of ours. */
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

function notJson(cause: unknown): AppError {
  return new AppError(
    "malformed",
    "the body is not JSON",
    [{ loc: ["body"], msg: "the body is not valid JSON", type: "json_invalid" }],
    { cause },
  );
}
