import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { signAdHoc, wrongPages } from "../../src/release/macho.ts";

const PAGE = 4096;
/** Two whole pages and a part of one. */
const LIMIT = 2 * PAGE + 100;
const SIGNATURE_BYTES = 512;
/** Offsets of the load commands. */
const [TEXT, LINKEDIT, COMMAND] = [32, 104, 176];
const IDENTIFIER = "a.out\0";
const DIRECTORY = 20;
const HASHES = 88 + IDENTIFIER.length;

/** The smallest Mach-O that has a signature: three load commands, some pages, a code directory. */
function executable(): Buffer {
  const file = Buffer.alloc(LIMIT + SIGNATURE_BYTES, 0x5a);
  file.fill(0, 0, 300);
  const words = [
    [0, 0xfeedfacf], // MH_MAGIC_64
    [4, 0x01000007], // CPU_TYPE_X86_64
    [12, 2], // MH_EXECUTE
    [16, 3], // load commands
    [20, 72 + 72 + 16],
    [TEXT, 0x19], // LC_SEGMENT_64
    [TEXT + 4, 72],
    [TEXT + 48, PAGE], // filesize
    [LINKEDIT, 0x19],
    [LINKEDIT + 4, 72],
    [LINKEDIT + 32, PAGE], // vmsize
    [LINKEDIT + 40, LIMIT - 100], // fileoff
    [LINKEDIT + 48, 100 + SIGNATURE_BYTES],
    [COMMAND, 0x1d], // LC_CODE_SIGNATURE
    [COMMAND + 4, 16],
    [COMMAND + 8, LIMIT],
    [COMMAND + 12, SIGNATURE_BYTES],
  ] as const;
  for (const [at, word] of words) file.writeUInt32LE(word, at);
  file.write("__TEXT", TEXT + 8);
  file.write("__LINKEDIT", LINKEDIT + 8);
  sign(file);
  return file;
}

/** Signs as the linker does, with the flag of the hardened runtime. */
function sign(file: Buffer): void {
  const blob = file.subarray(LIMIT);
  const size = HASHES + 3 * 32;
  const words = [0xfade0cc0, DIRECTORY + size, 1, 0, DIRECTORY];
  words.push(0xfade0c02, size, 0x20400, 0x10000, HASHES, 88, 0, 3, LIMIT);
  for (const [index, word] of words.entries()) blob.writeUInt32BE(word, index * 4);
  blob.set([32, 2, 0, 12], DIRECTORY + 36);
  for (const page of [0, 1, 2]) {
    const content = file.subarray(page * PAGE, Math.min((page + 1) * PAGE, LIMIT));
    blob.set(createHash("sha256").update(content).digest(), DIRECTORY + HASHES + page * 32);
  }
}

describe("the signature of a macOS executable", () => {
  test("no page is wrong in a signed executable", () => {
    expect(wrongPages(executable())).toEqual([]);
  });

  test("each changed page is wrong, also the last page", () => {
    const file = executable();
    file[PAGE] = 0;
    file[LIMIT - 1] = 0;
    expect(wrongPages(file)).toEqual([1, 2]);
  });

  test("pages behind the signed length are wrong", () => {
    const file = executable();
    file.writeUInt32BE(PAGE + 10, LIMIT + DIRECTORY + 32);
    expect(wrongPages(file)).toEqual([1, 2]);
  });

  test("signAdHoc signs again, without the hardened runtime", () => {
    const file = executable();
    file[PAGE] = 0;
    const signed = signAdHoc(file);
    expect(wrongPages(signed)).toEqual([]);
    expect(signed.subarray(300, LIMIT).equals(file.subarray(300, LIMIT))).toBe(true);
    const directory = signed.subarray(LIMIT + DIRECTORY);
    expect(directory.readUInt32BE(12)).toBe(0x2);
    expect(directory.toString("latin1", 88, 97)).toBe("panewatch");
    // The executable segment: offset, size and flags.
    const segment = [64, 72, 80].map((at) => Number(directory.readBigUInt64BE(at)));
    expect(segment).toEqual([0, PAGE, 1]);
    signed[0x100] = 1;
    expect(wrongPages(signed)).toEqual([0]);
  });

  test("the new signature ends with the file and its last segment, also if it needs more room", () => {
    const added = 40 * PAGE;
    const file = executable();
    const grown = Buffer.concat([
      file.subarray(0, LIMIT),
      Buffer.alloc(added),
      file.subarray(LIMIT),
    ]);
    grown.writeUInt32LE(LIMIT + added, COMMAND + 8);
    const signed = signAdHoc(grown);
    expect(wrongPages(signed)).toEqual([]);
    expect(signed.length).toBeGreaterThan(grown.length);
    const [offset, size] = [8, 12].map((at) => signed.readUInt32LE(COMMAND + at));
    expect((offset ?? 0) + (size ?? 0)).toBe(signed.length);
    const end = signed.readUInt32LE(LINKEDIT + 40) + signed.readUInt32LE(LINKEDIT + 48);
    expect(end).toBe(signed.length);
    expect(signed.readUInt32LE(LINKEDIT + 32)).toBeGreaterThanOrEqual(
      signed.readUInt32LE(LINKEDIT + 48),
    );
  });

  const REFUSED: [string, (file: Buffer) => Buffer, RegExp][] = [
    ["an executable of another system", () => Buffer.from("\x7fELF".padEnd(64)), /no Mach-O/],
    ["no file", () => Buffer.alloc(0), /no Mach-O/],
    ["a truncated executable", (file) => file.subarray(0, LIMIT + 8), /outside of the file/],
    [
      "an executable without a signature",
      (file) => file.fill(0, COMMAND, COMMAND + 1),
      /no signature/,
    ],
    ["an executable with an empty signature", (file) => file.fill(0, LIMIT), /no code directory/],
    ["hashes of another kind", (file) => file.fill(1, LIMIT + DIRECTORY + 37), /another kind/],
  ];
  test.each(REFUSED)("the signature is not read from %s", (_, change, reason) => {
    expect(() => wrongPages(change(executable()))).toThrow(reason);
  });

  test("an executable with data behind its signature is not signed again", () => {
    const file = Buffer.concat([executable(), Buffer.alloc(1)]);
    expect(() => signAdHoc(file)).toThrow(/something follows/);
  });
});
