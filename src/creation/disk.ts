import { constants } from "node:fs";
import { access, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { canonicalDirectory, isSpeakable, nearestReal } from "../lib/inside.ts";

export interface Disk {
  home(): Promise<string>;
  real(path: string): Promise<string | null>;
  /** The same of one that may be read and entered. */
  readable(path: string): Promise<string | null>;
  /** The canonical path of the deepest existing part. */
  nearest(path: string): Promise<string>;
  /**
   * The directories in a canonical path, and links that may lead to one.
   * @throws AppError not_found
   */
  entries(path: string): Promise<readonly DiskEntry[]>;
}

export interface DiskEntry {
  name: string;
  isLink: boolean;
  readable(): Promise<string | null>;
}

export const localDisk: Disk = {
  home: async () => homedir(),
  real: canonicalDirectory,
  readable,
  nearest: nearestReal,
  async entries(path) {
    const read = await readdir(path, { withFileTypes: true }).catch((cause) => {
      throw directoryNotFound({ cause });
    });
    // If it became a link since it was allowed, these are the names of another directory.
    if ((await canonicalDirectory(path)) !== path) throw directoryNotFound();
    return read
      .filter((entry) => (entry.isSymbolicLink() || entry.isDirectory()) && isSpeakable(entry.name))
      .map((entry) => ({
        name: entry.name,
        isLink: entry.isSymbolicLink(),
        readable: () => readable(join(path, entry.name)),
      }));
  },
};

async function readable(path: string): Promise<string | null> {
  const real = await canonicalDirectory(path);
  if (real === null) return null;
  try {
    await access(real, constants.R_OK | constants.X_OK);
    return real;
  } catch {
    return null;
  }
}

export function directoryNotFound(options?: ErrorOptions): AppError {
  return new AppError("not_found", "directory not found", undefined, options);
}
