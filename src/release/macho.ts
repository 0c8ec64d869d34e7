import { sha256 } from "../lib/digest.ts";

/** @see mach-o/loader.h: little endian, where the blobs of a signature are big endian. */
const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;

/** @see kern/cs_blobs.h */
const EMBEDDED_SIGNATURE = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const WITH_EXEC_SEGMENT = 0x20400;
const DIRECTORY_BYTES = 88;
/** Magic, length, count; then type and offset of its one blob. */
const SUPER_BLOB_BYTES = 20;
const AD_HOC = 0x2;
const MAIN_BINARY = 0x1n;
const SHA256 = { type: 2, bytes: 32 };
const PAGE_BITS = 12;
/** Page size of arm64, a multiple of that of x64. */
const SEGMENT_ALIGNMENT = 16_384;
const IDENTIFIER = "panewatch\0";

/** From the load commands; `command` is the offset of one that depends on the signature's size. */
interface Layout {
  /** Everything before it is signed. */
  signature: { command: number; offset: number; size: number };
  /** Offset and size in the file. */
  text: { offset: bigint; size: bigint };
  /** The last segment, which holds the signature. */
  linkedit: { command: number; offset: bigint };
}

/**
 * Numbers of the pages that differ from their signed sums, or have none.
 * @throws Error unless it is a signed 64-bit Mach-O executable with SHA-256 sums
 */
export function wrongPages(file: Buffer): number[] {
  const { signature } = layoutOf(file);
  const at = signature.offset + directoryOffset(file.subarray(signature.offset));
  const directory = file.subarray(at, at + file.readUInt32BE(at + 4));
  if (directory[36] !== SHA256.bytes || directory[37] !== SHA256.type)
    throw new Error("its signature has sums of another kind");
  const [hashes, limit] = [directory.readUInt32BE(16), directory.readUInt32BE(32)];
  const pageBytes = 2 ** (directory[39] ?? 0);
  const end = signature.offset;
  return Array.from({ length: Math.ceil(end / pageBytes) }, (_, page) => page).filter((page) => {
    const isCovered = limit === end || (page + 1) * pageBytes <= limit;
    const signed = directory.subarray(hashes + page * SHA256.bytes).subarray(0, SHA256.bytes);
    return !isCovered || !signed.equals(pageSum(file, { page, pageBytes, limit: end }));
  });
}

/**
 * Replaces the signature by an ad hoc one.
 * @throws Error where the executable does not end with a signature
 */
export function signAdHoc(original: Buffer): Buffer {
  const { signature, text, linkedit } = layoutOf(original);
  const limit = signature.offset;
  if (limit + signature.size !== original.length)
    throw new Error("something follows on its signature");
  const pageBytes = 2 ** PAGE_BITS;
  const pages = Math.ceil(limit / pageBytes);
  const hashes = DIRECTORY_BYTES + IDENTIFIER.length;
  const size = hashes + pages * SHA256.bytes;
  const room = roundUp(SUPER_BLOB_BYTES + size, 16);
  const file = Buffer.concat([original.subarray(0, limit), Buffer.alloc(room)]);
  // Changed before the sums, which cover them.
  file.writeUInt32LE(room, signature.command + 12);
  const linkeditBytes = limit + room - Number(linkedit.offset);
  file.writeBigUInt64LE(BigInt(roundUp(linkeditBytes, SEGMENT_ALIGNMENT)), linkedit.command + 32);
  file.writeBigUInt64LE(BigInt(linkeditBytes), linkedit.command + 48);

  const blob = file.subarray(limit);
  writeWords(blob, [EMBEDDED_SIGNATURE, SUPER_BLOB_BYTES + size, 1, 0, SUPER_BLOB_BYTES]);
  const directory = blob.subarray(SUPER_BLOB_BYTES);
  writeWords(directory, [
    ...[CODE_DIRECTORY, size, WITH_EXEC_SEGMENT, AD_HOC],
    // No special slots: neither entitlements nor requirements.
    ...[hashes, DIRECTORY_BYTES, 0, pages, limit],
  ]);
  directory.set([SHA256.bytes, SHA256.type, 0, PAGE_BITS], 36);
  directory.writeBigUInt64BE(text.offset, 64);
  directory.writeBigUInt64BE(text.size, 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  directory.write(IDENTIFIER, DIRECTORY_BYTES);
  for (let page = 0; page < pages; page++)
    directory.set(pageSum(file, { page, pageBytes, limit }), hashes + page * SHA256.bytes);
  return file;
}

const roundUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

function pageSum(file: Buffer, part: { page: number; pageBytes: number; limit: number }): Buffer {
  const { page, pageBytes, limit } = part;
  return sha256(file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit)));
}

function layoutOf(file: Buffer): Layout {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MAGIC_64)
    throw new Error("it is no Mach-O executable of 64 bits");
  let signature: Layout["signature"] | undefined;
  const segments = new Map<string, { command: number; offset: bigint; size: bigint }>();
  let command = HEADER_BYTES;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const [kind, size] = [file.readUInt32LE(command), file.readUInt32LE(command + 4)];
    const [first, second] = [command + 8, command + 12];
    if (kind === LC_CODE_SIGNATURE)
      signature = { command, offset: file.readUInt32LE(first), size: file.readUInt32LE(second) };
    if (kind === LC_SEGMENT_64) {
      const name = file.toString("latin1", first, first + 16).replace(/\0.*/s, "");
      const [offset, length] = [command + 40, command + 48].map((at) => file.readBigUInt64LE(at));
      segments.set(name, { command, offset: offset ?? 0n, size: length ?? 0n });
    }
    command += size;
  }
  const [text, linkedit] = [segments.get("__TEXT"), segments.get("__LINKEDIT")];
  if (!signature || !text || !linkedit) throw new Error("it has no signature");
  if (signature.offset + signature.size > file.length)
    throw new Error("its signature is outside of the file");
  return { signature, text, linkedit };
}

/** Offset of the code directory, which holds the sums, in an embedded signature. */
function directoryOffset(blob: Buffer): number {
  if (blob.readUInt32BE(0) === EMBEDDED_SIGNATURE)
    for (let index = 0; index < blob.readUInt32BE(8); index++) {
      const offset = blob.readUInt32BE(16 + index * 8);
      if (blob.readUInt32BE(offset) === CODE_DIRECTORY) return offset;
    }
  throw new Error("its signature names no code directory");
}

function writeWords(into: Buffer, words: readonly number[]): void {
  for (const [index, word] of words.entries()) into.writeUInt32BE(word, index * 4);
}
