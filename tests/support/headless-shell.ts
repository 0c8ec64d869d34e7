// Chromium's headless shell: the same engine without windows, so that a page costs two thirds.
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { run } from "../../src/lib/run.ts";

/** The package that carries the shell for x64; its version is that of Chromium. */
const PACKAGE = "@sparticuz/chromium@153.0.0";
const SHA512 =
  "jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==";
const INSIDE = "package/bin/chromium.br";
const CACHE = join(import.meta.dir, "../../node_modules/.cache/headless-shell");
const SHELL = join(CACHE, PACKAGE.slice(PACKAGE.lastIndexOf("@") + 1));
const LIMITS = { timeoutMs: 300_000, maxBytes: 256 * 1024 * 1024 };

/** Where nothing is left out, every page is drawn by the browser that people have. */
const isWanted = () => process.env.PANEWATCH_THOROUGH !== "1" && process.arch === "x64";

/** The program, null where there is none to use. */
export function headlessShell(): string | null {
  return isWanted() && existsSync(SHELL) ? SHELL : null;
}

/**
 * Downloads the shell once; the system stays as it is. It is no dependency in package.json, for
 * then everybody who builds would download it.
 * @returns why it could not be had, for a run that goes on with the Chromium of the system; else null
 */
export async function bringHeadlessShell(): Promise<string | null> {
  if (!isWanted() || headlessShell() !== null) return null;
  // Beside the place that it gets, so that a run that is cut off leaves nothing that looks whole.
  const work = `${SHELL}.${process.pid}`;
  try {
    await mkdir(work, { recursive: true });
    const program = join(work, "shell");
    await writeFile(program, await unpacked(work), { mode: 0o755 });
    await must([program, "--version"]);
    await rename(program, SHELL);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function unpacked(folder: string): Promise<Uint8Array> {
  const name = await must(["npm", "pack", PACKAGE, "--silent", "--pack-destination", folder]);
  const archive = join(folder, new TextDecoder().decode(name).trim());
  const bytes = await Bun.file(archive).bytes();
  const sum = new Bun.CryptoHasher("sha512").update(bytes).digest("base64");
  if (sum !== SHA512) throw new Error(`${PACKAGE} is not what it was: sha512 ${sum}`);
  return brotliDecompressSync(await must(["tar", "-xOzf", archive, INSIDE]));
}

async function must(argv: readonly [string, ...string[]]): Promise<Uint8Array> {
  const { code, stdout, stderr } = await run(argv, LIMITS);
  if (code !== 0) throw new Error(`cannot bring ${PACKAGE}: ${argv[0]} says ${stderr.trim()}`);
  return stdout;
}
