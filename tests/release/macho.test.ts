import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { signAdHoc, wrongPages } from "../../release/macho.ts";

const PAGE = 4096;
/** Two whole pages and a part of one. */
const LIMIT = 2 * PAGE + 100;
const SIGNATURE_BYTES = 512;
const IDENTIFIER = "a.out\0";
const DIRECTORY = 20;
const HASHES = 88 + IDENTIFIER.length;

/** The smallest Mach-O that has a signature: two load commands, some pages, a code directory. */
function executable({ room = SIGNATURE_BYTES, flags = 0x10000 } = {}): Buffer {
  const file = Buffer.alloc(LIMIT + room, 0x5a);
  file.fill(0, 0, 200);
  for (const [at, word] of [
    ...([
      [0, 0xfeedfacf], // MH_MAGIC_64
      [4, 0x01000007], // CPU_TYPE_X86_64
      [12, 2], // MH_EXECUTE
      [16, 2], // two load commands
      [20, 72 + 16],
      [32, 0x19], // LC_SEGMENT_64
      [36, 72],
      [80, PAGE], // filesize of the segment
      [104, 0x1d], // LC_CODE_SIGNATURE
      [108, 16],
      [112, LIMIT],
      [116, room],
    ] as const),
  ])
    file.writeUInt32LE(word, at);
  file.write("__TEXT", 40);
  const blob = file.subarray(LIMIT);
  const size = HASHES + 3 * 32;
  const words = [0xfade0cc0, DIRECTORY + size, 1, 0, DIRECTORY];
  words.push(0xfade0c02, size, 0x20400, flags, HASHES, 88, 0, 3, LIMIT);
  for (const [index, word] of words.entries()) blob.writeUInt32BE(word, index * 4);
  blob.set([32, 2, 0, 12], DIRECTORY + 36);
  for (const page of [0, 1, 2]) {
    const content = file.subarray(page * PAGE, Math.min((page + 1) * PAGE, LIMIT));
    blob.set(createHash("sha256").update(content).digest(), DIRECTORY + HASHES + page * 32);
  }
  return file;
}

describe("the signature of a macOS executable", () => {
  test("is right where every page is what it says", () => {
    expect(wrongPages(executable())).toEqual([]);
  });

  test("is wrong for each page that was changed, the last one too", () => {
    const file = executable();
    file[PAGE] = 0;
    file[LIMIT - 1] = 0;
    expect(wrongPages(file)).toEqual([1, 2]);
  });

  test("is made anew in its place, ad hoc and without the hardened runtime", () => {
    const file = executable();
    file[PAGE] = 0;
    const before = Buffer.from(file.subarray(0, LIMIT));
    signAdHoc(file);
    expect(wrongPages(file)).toEqual([]);
    expect(file.subarray(0, LIMIT).equals(before)).toBe(true);
    const directory = file.subarray(LIMIT + DIRECTORY);
    expect(directory.readUInt32BE(12)).toBe(0x2);
    expect(directory.toString("latin1", 88, 97)).toBe("panewatch");
    // The executable segment: its place in the file, its size, and that it is the main one.
    const segment = [64, 72, 80].map((at) => Number(directory.readBigUInt64BE(at)));
    expect(segment).toEqual([0, PAGE, 1]);
    file[0x100] = 1;
    expect(wrongPages(file)).toEqual([0]);
  });

  test("leaves nothing of the one before it", () => {
    const file = executable();
    file.fill(0x77, file.length - 100);
    signAdHoc(file);
    expect(file.subarray(file.length - 100).every((byte) => byte === 0)).toBe(true);
  });

  const REFUSED: [string, (file: Buffer) => Buffer, RegExp][] = [
    ["an executable of another system", () => Buffer.from("\x7fELF".padEnd(64)), /no Mach-O/],
    ["no file", () => Buffer.alloc(0), /no Mach-O/],
    ["one that broke off", (file) => file.subarray(0, LIMIT + 8), /outside of the file/],
    ["one without a signature", (file) => file.fill(0, 104, 105), /no signature/],
    ["one whose signature is none", (file) => file.fill(0, LIMIT), /no code directory/],
    ["sums of another kind", (file) => file.fill(1, LIMIT + DIRECTORY + 37), /another kind/],
    [
      "a signature that leaves the end unsigned",
      (file) => {
        file.writeUInt32BE(PAGE, LIMIT + DIRECTORY + 32);
        return file;
      },
      /does not cover/,
    ],
  ];
  test.each(REFUSED)("is not read from %s", (_, change, reason) => {
    expect(() => wrongPages(change(executable()))).toThrow(reason);
  });

  test("is not made anew where it has no room", () => {
    expect(() => signAdHoc(executable({ room: 210 }))).toThrow(/no room in 210/);
  });
});
