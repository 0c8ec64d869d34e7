// QR code model 2 (ISO/IEC 18004), byte mode, error correction level M, versions 1 to 10: enough for
// a link of 213 bytes.

const MAX_VERSION = 10;

/** By version: error correction codewords of a block, and number of blocks (ISO table 9, level M). */
const BLOCKS: readonly (readonly [ecc: number, count: number])[] = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
];

const BYTE_MODE = 0b0100;
const PADDING = [0xec, 0x11];

export function sizeOf(version: number): number {
  return 17 + 4 * version;
}

/** Rows and columns of alignment patterns' centres. */
export function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = 2 * Math.ceil((sizeOf(version) - 13) / (2 * count - 2));
  const last = sizeOf(version) - 7;
  const rest = Array.from({ length: count - 1 }, (_, index) => last - step * index);
  return [6, ...rest.reverse()];
}

/** The smallest version that holds so many bytes, or null. */
export function versionFor(bytes: number): number | null {
  for (let version = 1; version <= MAX_VERSION; version += 1)
    if (headerBits(version) + 8 * bytes <= 8 * dataCodewords(version)) return version;
  return null;
}

/** All codewords in the order in which they are drawn: data, then error correction, interleaved. */
export function codewords(data: Uint8Array, version: number): Uint8Array {
  const [ecc, count] = blocksOf(version);
  const total = totalCodewords(version);
  const longBlocks = total % count;
  const shortData = Math.floor(total / count) - ecc;
  const all = dataBytes(data, version);
  const generator = generatorPolynomial(ecc);

  const blocks: Uint8Array[] = [];
  for (let index = 0, at = 0; index < count; index += 1) {
    const length = shortData + Number(index >= count - longBlocks);
    blocks.push(all.subarray(at, (at += length)));
  }
  const corrections = blocks.map((block) => remainder(block, generator));
  return Uint8Array.from([
    ...interleaved(blocks, shortData + Number(longBlocks > 0)),
    ...interleaved(corrections, ecc),
  ]);
}

function* interleaved(blocks: readonly Uint8Array[], length: number): Generator<number> {
  for (let index = 0; index < length; index += 1)
    for (const block of blocks) {
      const codeword = block[index];
      if (codeword !== undefined) yield codeword;
    }
}

/** Mode, length, data, terminator and padding. */
function dataBytes(data: Uint8Array, version: number): Uint8Array {
  const capacity = dataCodewords(version);
  const bits: number[] = [];
  const append = (value: number, length: number) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  append(BYTE_MODE, 4);
  append(data.length, headerBits(version) - 4);
  for (const byte of data) append(byte, 8);
  append(0, Math.min(4, capacity * 8 - bits.length));
  append(0, (8 - (bits.length % 8)) % 8);
  for (let index = 0; bits.length < capacity * 8; index += 1) append(PADDING[index % 2] ?? 0, 8);
  return Uint8Array.from({ length: capacity }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  );
}

function headerBits(version: number): number {
  return 4 + (version < 10 ? 8 : 16);
}

function dataCodewords(version: number): number {
  const [ecc, count] = blocksOf(version);
  return totalCodewords(version) - ecc * count;
}

/** What is left of the square without its patterns, in whole codewords. */
function totalCodewords(version: number): number {
  const size = sizeOf(version);
  const centres = alignmentCentres(version).length;
  const finders = 3 * 64;
  const timing = 2 * (size - 16);
  const format = 2 * 15 + 1;
  const versionInfo = version < 7 ? 0 : 2 * 18;
  // Three corners have no alignment pattern; those on a timing line share five modules with it.
  const alignment = centres === 0 ? 0 : 25 * (centres ** 2 - 3) - 2 * 5 * (centres - 2);
  return Math.floor((size ** 2 - finders - timing - format - versionInfo - alignment) / 8);
}

function blocksOf(version: number): readonly [ecc: number, count: number] {
  const blocks = BLOCKS[version - 1];
  if (!blocks) throw new RangeError(`there is no version ${version}`);
  return blocks;
}

/** Coefficients below the leading 1 of (x - 2^0)(x - 2^1)… in GF(256). */
function generatorPolynomial(degree: number): Uint8Array {
  const result = new Uint8Array(degree);
  result[degree - 1] = 1;
  let root = 1;
  for (let index = 0; index < degree; index += 1) {
    for (let at = 0; at < degree; at += 1)
      result[at] = multiply(result[at] ?? 0, root) ^ (result[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  return result;
}

function remainder(data: Uint8Array, generator: Uint8Array): Uint8Array {
  const result = new Uint8Array(generator.length);
  for (const byte of data) {
    const factor = byte ^ (result[0] ?? 0);
    result.copyWithin(0, 1);
    result[result.length - 1] = 0;
    for (const [at, coefficient] of generator.entries())
      result[at] = (result[at] ?? 0) ^ multiply(coefficient, factor);
  }
  return result;
}

/** In GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> bit) & 1) * a;
  }
  return product;
}
