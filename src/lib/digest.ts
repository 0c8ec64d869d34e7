/** SHA-256 of bytes, or of a text in UTF-8. */
export function sha256(data: string | Uint8Array): Buffer {
  return Bun.CryptoHasher.hash("sha256", data);
}

/** Of plain values: an array of them has only one JSON text, so no canonical form is needed. */
export function fingerprint(values: readonly unknown[]): string {
  return `sha256:${sha256(JSON.stringify(values)).toString("hex")}`;
}
