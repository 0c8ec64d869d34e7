import { readdir } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { codeOf } from "../errors.ts";
import { acceptedCodings, isKnown } from "../lib/json-with-etag.ts";
import { sha256 } from "../lib/digest.ts";

type Coding = "br" | "gzip" | "identity";

interface Asset {
  type: string;
  /** Of the plain body; the ETag of a compressed one has the coding's name appended. */
  hash: string;
  bodies: Partial<Record<Coding, Uint8Array<ArrayBuffer>>>;
}

export type Assets = ReadonlyMap<string, Asset>;

const CODING_OF: Record<string, Coding> = { ".br": "br", ".gz": "gzip" };

/**
 * No inline script or style, nothing from other origins, no framing. The page can type into shells:
 * terminal output must never become code in it.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Reads the folder at the first use, and again while it is empty: a build may be replacing it. */
export function assetsIn(folder: string): () => Promise<Assets> {
  let reading: Promise<Assets> | null = null;
  const read = async () => {
    let isEmpty = true;
    try {
      const assets = await readAssets(folder);
      isEmpty = assets.size === 0;
      return assets;
    } finally {
      if (isEmpty) reading = null;
    }
  };
  return () => (reading ??= read());
}

/** `a.js`, `a.js.br` and `a.js.gz` are one asset; `index.html` is the root as well. */
export async function readAssets(folder: string): Promise<Assets> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const files = entries.filter((entry) => entry.isFile());
  const assets = new Map<string, Asset>();
  // Sorted, a plain file comes before its compressed ones.
  for (const path of files.map(({ parentPath, name }) => join(parentPath, name)).toSorted()) {
    const name = `/${relative(folder, path).split(sep).join("/")}`;
    const bytes = await Bun.file(path).bytes();
    const ending = extname(name);
    const coding = CODING_OF[ending];
    const plain = coding && assets.get(name.slice(0, -ending.length));
    if (plain) plain.bodies[coding] = bytes;
    if (coding) continue;
    const hash = sha256(bytes).toString("base64url").slice(0, 22);
    assets.set(name, { type: Bun.file(path).type, hash, bodies: { identity: bytes } });
  }
  const page = assets.get("/index.html");
  if (page) assets.set("/", page);
  return assets;
}

export function assetReply(path: string, asset: Asset, request: Request): Response {
  const coding = codingFor(request.headers.get("accept-encoding"), asset);
  const etag = coding === "identity" ? `"${asset.hash}"` : `"${asset.hash}-${coding}"`;
  const headers = new Headers({
    "content-type": asset.type,
    "cache-control": isHashed(path) ? "public, max-age=31536000, immutable" : "no-cache",
    "content-security-policy": PAGE_POLICY,
    "cross-origin-opener-policy": "same-origin",
    etag,
    vary: "accept-encoding",
  });
  if (coding !== "identity") headers.set("content-encoding", coding);
  if (isKnown(request.headers, etag)) return new Response(null, { status: 304, headers });
  return new Response(asset.bodies[coding] ?? null, { headers });
}

/** The build puts a content hash into the names of files that may be cached for ever. */
function isHashed(path: string): boolean {
  return /-[0-9a-z]{8}\.[0-9a-z]+$/.test(path);
}

function codingFor(accepted: string | null, asset: Asset): Coding {
  const offers = acceptedCodings(accepted);
  if (asset.bodies.br && offers.has("br")) return "br";
  if (asset.bodies.gzip && offers.has("gzip")) return "gzip";
  return "identity";
}
