import { expect, test } from "bun:test";
import { persistError } from "../src/errors.ts";

test.each([
  ["ENOSPC", "storage", "the list cannot be saved: the disk is full"],
  ["EDQUOT", "storage", "the list cannot be saved: the disk is full"],
  ["EROFS", "persist_failed", "the list cannot be saved"],
  ["EACCES", "persist_failed", "the list cannot be saved"],
] as const)("a failed write with %s is a %s error", (code, kind, message) => {
  const cause = Object.assign(new Error("write"), { code });
  expect(persistError("the list cannot be saved", cause)).toMatchObject({ kind, message, cause });
});
