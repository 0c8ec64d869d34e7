import { sha256 } from "../src/lib/digest.ts";

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
const IDENTIFIER = "panewatch\0";

/** What the load commands of an executable say. */
interface Layout {
  /** Where the signature lies: all before it is signed. */
  signature: { offset: number; size: number };
  /** In the file. */
  text: { offset: bigint; size: bigint };
}

/**
 * Numbers of the pages whose content is not what the signature says.
 * @throws Error for what is no signed Mach-O executable of 64 bits with SHA-256 sums
 */
export function wrongPages(file: Buffer): number[] {
  const { signature } = layoutOf(file);
  const at = signature.offset + directoryOffset(file.subarray(signature.offset));
  const directory = file.subarray(at, at + file.readUInt32BE(at + 4));
  const [hashes, pages] = [directory.readUInt32BE(16), directory.readUInt32BE(28)];
  const limit = directory.readUInt32BE(32);
  const isKnown = directory[36] === SHA256.bytes && directory[37] === SHA256.type;
  const pageBytes = 2 ** (directory[39] ?? 0);
  if (!isKnown || limit !== signature.offset || pages !== Math.ceil(limit / pageBytes))
    throw new Error("its signature is of another kind, or does not cover the file");
  return Array.from({ length: pages }, (_, page) => page).filter((page) => {
    const told = directory.subarray(hashes + page * SHA256.bytes).subarray(0, SHA256.bytes);
    return !told.equals(pageSum(file, { page, pageBytes, limit }));
  });
}

/**
 * Puts an ad hoc signature over what is there, in its place: no load command changes.
 * @throws Error where there is none, or it has too little room
 */
export function signAdHoc(file: Buffer): void {
  const { signature, text } = layoutOf(file);
  const limit = signature.offset;
  const pageBytes = 2 ** PAGE_BITS;
  const pages = Math.ceil(limit / pageBytes);
  const hashes = DIRECTORY_BYTES + IDENTIFIER.length;
  const size = hashes + pages * SHA256.bytes;
  if (SUPER_BLOB_BYTES + size > signature.size)
    throw new Error(`a signature of ${size} bytes has no room in ${signature.size}`);
  const room = file.subarray(limit, limit + signature.size).fill(0);
  writeWords(room, [EMBEDDED_SIGNATURE, SUPER_BLOB_BYTES + size, 1, 0, SUPER_BLOB_BYTES]);
  const directory = room.subarray(SUPER_BLOB_BYTES);
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
}

function pageSum(file: Buffer, part: { page: number; pageBytes: number; limit: number }): Buffer {
  const { page, pageBytes, limit } = part;
  return sha256(file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit)));
}

function layoutOf(file: Buffer): Layout {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MAGIC_64)
    throw new Error("it is no Mach-O executable of 64 bits");
  let signature: Layout["signature"] | undefined;
  let text: Layout["text"] | undefined;
  let at = HEADER_BYTES;
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const kind = file.readUInt32LE(at);
    if (kind === LC_CODE_SIGNATURE)
      signature = { offset: file.readUInt32LE(at + 8), size: file.readUInt32LE(at + 12) };
    if (kind === LC_SEGMENT_64 && file.toString("latin1", at + 8, at + 15) === "__TEXT\0")
      text = { offset: file.readBigUInt64LE(at + 40), size: file.readBigUInt64LE(at + 48) };
    at += file.readUInt32LE(at + 4);
  }
  if (!signature || !text) throw new Error("it has no signature");
  if (signature.offset + signature.size > file.length)
    throw new Error("its signature is outside of the file");
  return { signature, text };
}

/** Of the code directory with the sums, in an embedded signature. */
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
