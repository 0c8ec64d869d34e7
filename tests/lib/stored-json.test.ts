import { expect, test } from "bun:test";
import { z } from "zod";
import { AppError } from "../../src/errors.ts";
import { type JsonStore, StoredJson } from "../../src/lib/stored-json.ts";
import { MemoryFile } from "../support/in-memory.ts";

const Names = z.object({ version: z.literal(1), names: z.array(z.string()) });
type Names = z.infer<typeof Names>;

const stored = (file: JsonStore, recover?: (value: Names) => Names) =>
  new StoredJson<Names>({
    ...{ file, schema: Names, name: "names", empty: { version: 1, names: [] } },
    ...(recover ? { recover } : {}),
  });
const named = (name: string) => (value: Names) => ({ ...value, names: [...value.names, name] });
const kindOf = (error: unknown) =>
  error instanceof AppError ? [error.kind, error.message] : error;

test("a changed value is current, and is read by the next open", async () => {
  const file = new MemoryFile();
  const first = stored(file);
  await first.open();
  expect([first.current, file.content]).toEqual([{ version: 1, names: [] }, null]);
  await first.change(named("a"));
  const next = stored(file);
  await next.open();
  expect(next.current).toEqual({ version: 1, names: ["a"] });
});

test("a change that cannot be written is refused and not current, and an error of the change is passed on", async () => {
  const file = new MemoryFile();
  const value = stored(file);
  await value.open();
  file.fault = Object.assign(new Error("full"), { code: "ENOSPC" });
  expect(await value.change(named("a")).catch(kindOf)).toEqual([
    "storage",
    "names cannot be kept: the disk is full",
  ]);
  const refusal = new AppError("conflict", "no");
  const thrown = value.change(() => {
    throw refusal;
  });
  expect(await thrown.catch((error: unknown) => error)).toBe(refusal);
  expect(value.current.names).toEqual([]);
});

test("a file of another shape is moved aside, and its value is not used", async () => {
  const file = new MemoryFile();
  const reasons: string[] = [];
  file.quarantine = async (why?: string) => void reasons.push(why ?? "");
  file.content = { version: 2, names: ["a"] };
  const value = stored(file);
  await value.open();
  expect([value.current.names, reasons]).toEqual([[], ["not of the expected shape"]]);
});

test("a change waits for the open, and is refused if the file cannot be read", async () => {
  const file = new MemoryFile();
  file.content = { version: 1, names: ["a"] };
  const early = stored(file);
  const opened = early.open();
  await early.change(named("b"));
  await opened;
  expect(early.current.names).toEqual(["a", "b"]);
  file.read = () => Promise.reject(new Error("EACCES"));
  const broken = stored(file);
  await expect(broken.open()).rejects.toThrow("EACCES");
  expect(await broken.change(named("c")).catch(kindOf)).toEqual([
    "unavailable",
    "names cannot be read",
  ]);
  expect(file.content).toEqual({ version: 1, names: ["a", "b"] });
});

test("the value of a stopped service is recovered at the open, and written with the next change", async () => {
  const file = new MemoryFile();
  file.content = { version: 1, names: ["sending"] };
  const recover = (value: Names) => ({ ...value, names: value.names.map(() => "unknown") });
  const value = stored(file, recover);
  void value.open();
  await value.change(named("b"));
  expect(file.content).toEqual({ version: 1, names: ["unknown", "b"] });
  file.fault = new Error("full");
  const next = stored(file, recover);
  await next.open();
  expect(next.current.names).toEqual(["unknown", "unknown"]);
});
