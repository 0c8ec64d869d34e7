/** One member of an `ar` archive, the container of a Debian package. */
export interface ArMember {
  name: string;
  data: Uint8Array;
}

/** @see ar(5): a magic line, then each member behind a header of 60 bytes, padded to even lengths. */
export function arArchive(
  members: readonly ArMember[],
  atSeconds: number,
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [Buffer.from("!<arch>\n")];
  for (const { name, data } of members) {
    const fields = [
      name.padEnd(16),
      String(atSeconds).padEnd(12),
      "0".padEnd(6),
      "0".padEnd(6),
      "100644".padEnd(8),
      String(data.length).padEnd(10),
    ];
    parts.push(Buffer.from(`${fields.join("")}\`\n`), data);
    if (data.length % 2 === 1) parts.push(Buffer.from("\n"));
  }
  return new Uint8Array(Buffer.concat(parts));
}
