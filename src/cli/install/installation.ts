import { dirname, join } from "node:path";
import { StartupError } from "../../errors.ts";
import { readText } from "../../lib/json-file.ts";
import { print } from "../../lib/print.ts";
import { VERSION } from "../../protocol/version.ts";

export const RECEIPT_FILE = ".panewatch-installed";

export interface Receipt {
  address: string;
  /** Target of the archive: `linux-x64-musl`. */
  target: string;
}

/** With the receipt of install.sh, or with the command by which another installer upgrades it. */
export type Installation = { by: string; target: string } & (
  { receipt: Receipt } | { upgrade: string; receipt?: never }
);

/** Null where it is not known, as in a checkout. */
export async function findInstallation(executable: string): Promise<Installation | null> {
  const manager = managerOf(executable);
  if (manager) return manager;
  const text = await readText(join(dirname(executable), RECEIPT_FILE));
  if (text === null) return null;
  const receipt = parseReceipt(text);
  return receipt && { by: "install.sh", target: receipt.target, receipt };
}

const PLATFORM = `${process.platform}-${process.arch}`;

/** Each package manager has folders of its own. */
function managerOf(executable: string): Installation | null {
  const npm = /\/node_modules\/panewatch-([a-z0-9-]+)\/panewatch$/.exec(executable);
  if (npm)
    return { by: "npm", target: npm[1] ?? PLATFORM, upgrade: "npm install -g panewatch@latest" };
  if (CELLAR.test(executable))
    return { by: "Homebrew", target: PLATFORM, upgrade: "brew upgrade panewatch" };
  if (executable === "/usr/bin/panewatch")
    return { by: "a package", target: PLATFORM, upgrade: "sudo apt install ./panewatch_*.deb" };
  return null;
}

const CELLAR = /^(.*)\/Cellar\/panewatch\/[^/]+\/bin\/panewatch$/;
/** Folders of `npx`, `pnpm dlx` and `bunx`, which are emptied at any time. */
const CACHES = /\/(_npx|dlx(-[^/]*)?|bunx-[^/]*)\//;

/**
 * The path of this executable that an upgrade keeps.
 * @throws StartupError for an executable in a cache
 */
export function lastingPath(executable: string): string {
  if (CACHES.test(executable))
    throw new StartupError(
      `${executable} is in a cache and may go: install it first, such as with npm install -g panewatch`,
    );
  return executable.replace(CELLAR, "$1/opt/panewatch/bin/panewatch");
}

function parseReceipt(text: string): Receipt | null {
  const [, address = "", target = ""] = text.split("\n");
  return URL.canParse(address) && target !== "" ? { address, target } : null;
}

export function renderReceipt(version: string, { address, target }: Receipt): string {
  return `${version}\n${address}\n${target}\n`;
}

export async function printVersion(): Promise<number> {
  print(`${await versionLine(process.execPath)}\n`);
  return 0;
}

/** `0.3.0 (linux-x64, installed by install.sh)`; the version alone where no more is known. */
export async function versionLine(executable: string): Promise<string> {
  const installed = await findInstallation(executable).catch(() => null);
  return installed === null
    ? VERSION
    : `${VERSION} (${installed.target}, installed by ${installed.by})`;
}
