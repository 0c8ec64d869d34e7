import { beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { JsonFile, quarantine } from "../../src/lib/json-file.ts";
import { createLog } from "../../src/lib/log.ts";
import { temporary } from "../support/temporary.ts";

const SOURCE = join(import.meta.dir, "../../src/lib/json-file.ts");

let directory = "";
let lines: string[] = [];

beforeEach(async () => {
  directory = await temporary("json-file");
  lines = [];
});

const deps = {
  log: createLog((line) => lines.push(line)),
  clock: { now: () => 1700000000.9, monotonic: () => 0 },
};
const fileAt = (...path: string[]) => new JsonFile(join(directory, ...path), deps);

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test("a written file is read back, is private, and leaves no temporary file", async () => {
  const file = fileAt("a.json");
  await file.write({ a: [1, "ü"] });
  expect(await file.read()).toEqual({ a: [1, "ü"] });
  expect(await modeOf(file.path)).toBe(0o600);
  expect(await readdir(directory)).toEqual(["a.json"]);
});

test("created directories are private, an existing directory keeps its mode", async () => {
  const shared = join(directory, "shared");
  await mkdir(shared);
  await chmod(shared, 0o755);
  await fileAt("shared", "x", "y", "a.json").write({});
  expect(await modeOf(shared)).toBe(0o755);
  expect(await modeOf(join(shared, "x"))).toBe(0o700);
  expect(await modeOf(join(shared, "x", "y"))).toBe(0o700);
});

test("a file that others could read is private after the next write", async () => {
  const file = fileAt("a.json");
  await writeFile(file.path, "{}");
  await chmod(file.path, 0o644);
  await file.write({});
  expect(await modeOf(file.path)).toBe(0o600);
});

test("a missing file reads as null without a log line", async () => {
  expect(await fileAt("none.json").read()).toBeNull();
  expect(lines).toEqual([]);
});

test("a corrupt file is moved aside with a warning that quotes none of it", async () => {
  const file = fileAt("a.json");
  await writeFile(file.path, '{"token": sesame');
  expect(await file.read()).toBeNull();
  expect(await readdir(directory)).toEqual(["a.json.corrupt-1700000000"]);
  expect(await readFile(`${file.path}.corrupt-1700000000`, "utf8")).toBe('{"token": sesame');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("warn");
  expect(lines[0]).not.toContain("sesame");
});

test("a file that holds only null is no value, and is moved aside as well", async () => {
  const file = fileAt("a.json");
  await writeFile(file.path, "null\n");
  expect(await file.read()).toBeNull();
  expect(await readdir(directory)).toEqual(["a.json.corrupt-1700000000"]);
  expect(lines).toHaveLength(1);
});

test("a corrupt file that cannot be moved aside is logged as that, and stays", async () => {
  // With the suffix of a corrupt file the name is too long.
  const name = `${"a".repeat(245)}.json`;
  await writeFile(join(directory, name), "{");
  expect(await fileAt(name).read()).toBeNull();
  expect(lines.join("")).toContain("cannot be moved aside");
  expect(await readdir(directory)).toEqual([name]);
});

test("an unreadable file is an error, not a corrupt file, and stays", async () => {
  const file = fileAt("a.json");
  await mkdir(file.path);
  await expect(file.read()).rejects.toThrow(`cannot read ${file.path} (EISDIR)`);
  expect(await readdir(directory)).toEqual(["a.json"]);
  expect(lines).toEqual([]);
});

test("a file is not written when the lock is lost", async () => {
  const requireLock = () => Promise.reject(new Error("it is another's"));
  const file = new JsonFile(join(directory, "a.json"), { ...deps, requireLock });
  await expect(file.write({})).rejects.toThrow("it is another's");
  expect(await readdir(directory)).toEqual([]);
});

test("concurrent writes leave the last value, whole", async () => {
  const file = fileAt("a.json");
  const values = Array.from({ length: 20 }, (_, i) => ({ i, pad: "x".repeat(5000 - i * 200) }));
  await Promise.all(values.map((value) => file.write(value)));
  expect(await file.read()).toEqual(values.at(-1));
  expect(await readdir(directory)).toEqual(["a.json"]);
});

test("a failed write names the file and the error code, and leaves nothing behind", async () => {
  await writeFile(join(directory, "file"), "");
  await mkdir(join(directory, "taken.json"));
  for (const [path, code] of [
    [["file", "x", "a.json"], "ENOTDIR"],
    [["taken.json"], "EISDIR"],
  ] as const) {
    const file = fileAt(...path);
    const error = await file.write({}).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      ...{ name: "UnwritableError", message: `cannot write ${file.path} (${code})`, code },
    });
  }
  expect((await readdir(directory)).sort()).toEqual(["file", "taken.json"]);
});

test("a write that runs out of space fails, and the file keeps its value", async () => {
  const file = fileAt("a.json");
  await file.write({ a: 1 });
  const script = `
    const { writePrivateFile } = await import(${JSON.stringify(SOURCE)});
    await writePrivateFile(process.argv[1], "x".repeat(1_000_000)).catch(({ code }) => console.log(code));`;
  const within = 'ulimit -f 16; exec "$0" --no-env-file -e "$1" "$2"';
  const argv = ["sh", "-c", within, process.execPath, script, file.path];
  const child = Bun.spawn(argv, { stdio: ["ignore", "pipe", "inherit"] });
  expect(await new Response(child.stdout).text()).toBe("EFBIG\n");
  expect(await file.read()).toEqual({ a: 1 });
  expect(await readdir(directory)).toEqual(["a.json"]);
});

test("the temporary file of a killed process is removed by the next write", async () => {
  await writeFile(join(directory, ".a.json.tmp"), '{"half');
  await fileAt("a.json").write({});
  expect(await readdir(directory)).toEqual(["a.json"]);
});

test("a file is not moved aside if a companion file cannot be moved with it", async () => {
  // With that suffix only the longer name is too long.
  const names = ["", "-wal"].map((suffix) => "a".repeat(244) + suffix);
  for (const name of names) await writeFile(join(directory, name), "");
  const moving = quarantine(join(directory, names[0] ?? ""), {
    clock: { now: () => 7 },
    companions: ["-wal"],
  });
  await expect(moving).rejects.toThrow("ENAMETOOLONG");
  expect((await readdir(directory)).sort()).toEqual(names);
});

test("a file is moved aside with its companions, to a name that is free", async () => {
  for (const name of ["a", "a-wal", "b", "a.corrupt-7"])
    await writeFile(join(directory, name), name);
  const name = await quarantine(join(directory, "a"), {
    clock: { now: () => 7.9 },
    companions: ["-wal", "-shm"],
  });
  expect(name).toBe("a.corrupt-8");
  expect((await readdir(directory)).sort()).toEqual([
    "a.corrupt-7",
    "a.corrupt-8",
    "a.corrupt-8-wal",
    "b",
  ]);
});
