import { PROTOCOL_VERSION } from "../../src/protocol/version.ts";

export type Handshake = "verified" | "unverified" | "incompatible";

/** First published server that speaks this protocol. */
const OLDEST = [0, 1, 0] as const;

/** Judges `_info` of `GET /api/config`. Missing metadata is an old server, malformed metadata is not ours. */
export function judgeServer(info: Readonly<Record<string, unknown>>): Handshake {
  const { version, compatibility } = info;
  if (version === undefined && compatibility === undefined) return "unverified";
  const parsed = version === undefined ? null : parseVersion(version);
  if (version !== undefined && parsed === null) return "incompatible";
  if (compatibility === undefined) return "unverified";
  if (!isRecord(compatibility) || typeof compatibility.protocol_version !== "number")
    return "incompatible";
  if (compatibility.protocol_version !== PROTOCOL_VERSION) return "incompatible";
  if (parsed === null) return "unverified";
  return isOlder(parsed, OLDEST) ? "incompatible" : "verified";
}

function parseVersion(value: unknown): readonly number[] | null {
  if (typeof value !== "string") return null;
  const match = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/.exec(value);
  return match === null ? null : match.slice(1, 4).map(Number);
}

function isOlder(version: readonly number[], than: readonly number[]): boolean {
  for (const [i, part] of than.entries()) {
    const own = version[i] ?? 0;
    if (own !== part) return own < part;
  }
  return false;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
