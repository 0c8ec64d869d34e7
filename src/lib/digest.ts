/** SHA-256 of bytes, or of a text in UTF-8. */
export function sha256(data: string | Uint8Array): Buffer {
  return Bun.CryptoHasher.hash("sha256", data);
}
