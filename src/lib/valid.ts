import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import type { core, ZodType } from "zod";
import { AppError } from "../errors.ts";

/** Of a JSON request body. */
export const MAX_JSON_BYTES = 1024 * 1024;

interface SchemaIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

export interface Arriving {
  /** A part of the body has come. */
  onBodyPart?(): void;
  onBodyRead?(): void;
}

type Target = "json" | "query";

/**
 * Checks a part of a request, once, at the edge; handlers read `c.req.valid("json")`. What does not
 * fit is 422 with the schema's issues. `absent` is what a body of no bytes means.
 */
export function valid(target: Target, schema: ZodType, absent = ""): MiddlewareHandler {
  const check = zValidator(target, schema, (result) => {
    if (!result.success) throw schemaError(target, result.error.issues);
  });
  return async (c, next) => {
    if (target === "json") await readText(c, absent);
    try {
      return await check(c, next);
    } catch (error) {
      // Hono's word for malformed JSON. What handlers throw does not come by here.
      throw error instanceof HTTPException ? notJson() : error;
    }
  };
}

const MAX_LOGGED_ISSUES = 5;

function schemaError(target: Target, issues: readonly core.$ZodIssue[]): AppError {
  const where = target === "json" ? "body" : target;
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

/**
 * Reads the body to where Hono looks for it, and refuses what Hono lets through: 415 (a content type
 * that is present and not JSON), 413 (over 1 MiB), 422 (not UTF-8).
 */
async function readText(c: Context<{ Bindings: Arriving }>, absent: string): Promise<void> {
  const type = c.req.header("content-type");
  requireJsonType(type);
  if (type === undefined) c.req.raw.headers.set("content-type", "application/json");
  const bytes = await readBytes(c);
  c.env?.onBodyRead?.();
  // Typed as the text, and kept as its promise.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(decodeText(bytes) || absent) });
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
    throw new AppError("too_large", "the body exceeds the 1 MiB limit");
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

/** Without a cause: the parser's message quotes the body, which must not reach the log. */
function notJson(): AppError {
  const issue: SchemaIssue = {
    loc: ["body"],
    msg: "the body is not valid JSON",
    type: "json_invalid",
  };
  return new AppError("malformed", "the body is not JSON", [issue]);
}
