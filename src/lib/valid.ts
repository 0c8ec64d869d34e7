import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import type { core, ZodType } from "zod";
import { AppError } from "../errors.ts";

export const MAX_JSON_BYTES = 1024 * 1024;

interface SchemaIssue {
  loc: (string | number)[];
  msg: string;
  type: string;
}

export interface BodyListener {
  onBodyPart?(): void;
  onBodyRead?(): void;
}

type Target = "json" | "query";

/**
 * Checks a part of a request at the edge; handlers read `c.req.valid("json")`. What does not fit is
 * 422 with the schema's issues. @param absent stands for a body of no bytes
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
      // Hono's error for malformed JSON; what handlers throw does not pass here.
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
  // The log gets paths and kinds of the failures, never the values.
  const shown = detail.slice(0, MAX_LOGGED_ISSUES);
  const places = shown.map(({ loc, type }) => `${loc.join(".")} ${type}`).join(", ");
  return new AppError("malformed", `the ${where} does not fit its schema (${places})`, detail);
}

/**
 * Fills the cache from which Hono reads the body, and refuses what Hono lets through: 415 (a content
 * type that is not JSON), 413 (over 1 MiB), 422 (not UTF-8).
 */
async function readText(c: Context<{ Bindings: BodyListener }>, absent: string): Promise<void> {
  const type = c.req.header("content-type");
  requireJsonType(type);
  if (type === undefined) c.req.raw.headers.set("content-type", "application/json");
  const bytes = await readBytes(c);
  c.env?.onBodyRead?.();
  // Hono's type says text, and Hono awaits it as a promise.
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

// Counts while it reads, so that a body without a declared length is cut at the limit.
const limitSize = bodyLimit({
  maxSize: MAX_JSON_BYTES,
  onError: () => {
    throw new AppError("too_large", "the body exceeds the 1 MiB limit");
  },
});

/** @throws AppError also where the client disconnects, which is no fault of the service */
async function readBytes(c: Context): Promise<ArrayBuffer> {
  try {
    await limitSize(c, async () => {});
    return await c.req.raw.arrayBuffer();
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError("invalid", "the body ended too early", undefined, { cause });
  }
}

/** Has no cause: the parser's message quotes the body, which must not reach the log. */
function notJson(): AppError {
  const issue: SchemaIssue = {
    loc: ["body"],
    msg: "the body is not valid JSON",
    type: "json_invalid",
  };
  return new AppError("malformed", "the body is not JSON", [issue]);
}
