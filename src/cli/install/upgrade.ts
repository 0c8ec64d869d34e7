import { chmod, copyFile, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Flags } from "../../config/resolve.ts";
import { stateDirFor } from "../../config/state-dir.ts";
import { StartupError } from "../../errors.ts";
import { sha256 } from "../../lib/digest.ts";
import { bytesOf, pastProxy } from "../../lib/direct-request.ts";
import { parseJson } from "../../lib/json.ts";
import { isLoopback } from "../../lib/address.ts";
import { print } from "../../lib/print.ts";
import { run, RunError } from "../../lib/run.ts";
import { type ReleaseArtifact, ReleaseManifest } from "../../protocol/release.ts";
import { VERSION } from "../../protocol/version.ts";
import { findService } from "../../store/state-lock.ts";
import { serviceControl } from "../service.ts";
import {
  type Installation,
  findInstallation,
  type Receipt,
  RECEIPT_FILE,
  renderReceipt,
} from "./installation.ts";
import { RELEASE_KEYS, signedSum } from "./signature.ts";

const MAX_MANIFEST_BYTES = 1024 * 1024;
const WORK_PREFIX = ".panewatch-upgrade-";
/** An older folder is left from an upgrade that was killed: no download takes so long. */
const STALE_MS = 60 * 60_000;
const LIMITS = { timeoutMs: 60_000, maxBytes: 64 * 1024 };

export interface UpgradeDeps {
  executable: string;
  installed: Installation | null;
  version: string;
  keys: readonly string[];
  print: (line: string) => void;
}

/**
 * Replaces an executable of install.sh by the newest release, once that is verified; the old one is
 * kept beside it. False where there is no newer release.
 * @throws StartupError, and nothing is replaced
 */
export async function upgrade(deps: UpgradeDeps): Promise<boolean> {
  const { executable, version, keys, print } = deps;
  const receipt = requireReceipt(deps);
  const { address, target } = receipt;
  const manifest = await readManifest(address);
  if (Bun.semver.order(manifest.version, version) <= 0) {
    print(`panewatch ${version} is current: ${address} has ${manifest.version}`);
    return false;
  }
  const artifact = manifest.artifacts.find((one) => one.target === target);
  if (!artifact) throw new StartupError(`panewatch ${manifest.version} has no ${target}`);
  const folder = dirname(executable);
  // On the same file system: a rename from there is atomic.
  const work = await mkdtemp(join(folder, WORK_PREFIX)).catch((cause: unknown) => {
    throw new StartupError(`cannot write to ${folder}: nothing was downloaded`, { cause });
  });
  try {
    await sweep(folder);
    print(`panewatch ${manifest.version} for ${target}`);
    const fresh = await unpack(await readArchive(address, artifact, keys), work);
    await requireVersion(fresh, manifest.version);
    await copyFile(executable, join(work, "old"));
    await writeFile(join(work, "receipt"), renderReceipt(manifest.version, receipt));
    await rename(join(work, "old"), `${executable}.old`);
    await rename(fresh, executable);
    await rename(join(work, "receipt"), join(folder, RECEIPT_FILE));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  print(`upgraded ${executable} from ${version}, which is kept as ${executable}.old`);
  return true;
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(WORK_PREFIX)) continue;
    const leftover = join(folder, name);
    const { mtimeMs = Infinity } = (await stat(leftover).catch(() => null)) ?? {};
    if (Date.now() - mtimeMs > STALE_MS) await rm(leftover, { recursive: true, force: true });
  }
}

function requireReceipt({ executable, installed }: UpgradeDeps): Receipt {
  if (installed === null)
    throw new StartupError(`${executable} was not placed by install.sh: build or install it again`);
  if (installed.receipt) return installed.receipt;
  throw new StartupError(`this panewatch was installed by ${installed.by}: ${installed.upgrade}`);
}

async function readManifest(address: string): Promise<ReleaseManifest> {
  const url = `${address}/manifest.json`;
  const text = Buffer.from(await download(url, MAX_MANIFEST_BYTES)).toString();
  const manifest = ReleaseManifest.safeParse(parseJson(text));
  if (manifest.success) return manifest.data;
  throw new StartupError(`${url} is no manifest of a release; nothing was changed`);
}

async function readArchive(
  address: string,
  { file, size }: ReleaseArtifact,
  keys: readonly string[],
): Promise<Uint8Array> {
  const sums = await download(`${address}/SHA256SUMS`, MAX_MANIFEST_BYTES);
  const signature = await download(`${address}/SHA256SUMS.minisig`, MAX_MANIFEST_BYTES);
  const signed = Buffer.from(signature).toString();
  const expected = signedSum(sums, signed, { file, keys, from: address });
  const bytes = await download(`${address}/${file}`, size);
  if (bytes.length === size && sha256(bytes).toString("hex") === expected) return bytes;
  throw new StartupError(`${file} is not what was signed; nothing was changed`);
}

async function unpack(archive: Uint8Array, work: string): Promise<string> {
  const path = join(work, "archive.tar.gz");
  await writeFile(path, archive);
  const { code, stderr } = await run(["tar", "-xzf", path, "-C", work, "panewatch"], LIMITS);
  if (code !== 0) throw new StartupError(`cannot unpack the archive: ${stderr}`);
  const executable = join(work, "panewatch");
  await chmod(executable, 0o755);
  return executable;
}

/** Proves that it runs on this machine. */
async function requireVersion(executable: string, version: string): Promise<void> {
  const reply = await run([executable, "--version"], LIMITS).catch((error: unknown) => {
    if (error instanceof RunError) return null;
    throw error;
  });
  const [first] = Buffer.from(reply?.stdout ?? [])
    .toString()
    .split(/\s/);
  if (reply?.code === 0 && first === version) return;
  throw new StartupError(`the new panewatch does not run on this machine; nothing was changed`);
}

const TIMEOUT_MS = 10 * 60_000;
/** A release host redirects to its files. */
const MAX_REDIRECTS = 5;

/**
 * Downloads by HTTPS; from this machine itself plain HTTP is allowed.
 * @throws StartupError for an incomplete reply, or one above `maxBytes`
 */
export async function download(address: string, maxBytes: number): Promise<Uint8Array> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let at = address;
  for (let left = MAX_REDIRECTS; left >= 0; left--) {
    const url = requireSafe(at);
    try {
      const options = { redirect: "manual", keepalive: false, signal } as const;
      const reply = await fetch(url, { ...options, ...pastProxy(url) });
      const next = reply.status < 400 ? reply.headers.get("location") : null;
      if (next === null && !reply.ok)
        throw new StartupError(`cannot download ${at}: it answers ${reply.status}`);
      if (next === null) return await bytesOf(reply, maxBytes);
      at = new URL(next, url).href;
    } catch (cause) {
      if (cause instanceof StartupError) throw cause;
      throw new StartupError(`cannot download ${at}: ${String(cause)}`, { cause });
    }
  }
  throw new StartupError(`cannot download ${address}: it leads from one address to another`);
}

function requireSafe(address: string): URL {
  const url = URL.parse(address);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname)))
    return url;
  throw new StartupError(`refusing to download ${address}: only https is safe against changes`);
}

/** `panewatch upgrade`: nothing else ever looks for a release. */
export async function upgradeCommand(flags: Flags, keys = RELEASE_KEYS): Promise<number> {
  const executable = process.execPath;
  const say = (line: string) => print(`${line}\n`);
  const installed = await findInstallation(executable);
  if (!(await upgrade({ executable, installed, version: VERSION, keys, print: say }))) return 0;
  if (await serviceControl(flags).restart(executable)) return 0;
  const running = await findService(stateDirFor(flags));
  if (running) say(`panewatch ${VERSION} still runs (pid ${running.pid}): start it again`);
  return 0;
}
