import { beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  findInstallation,
  lastingPath,
  versionLine,
} from "../../../src/cli/install/installation.ts";
import { VERSION } from "../../../src/protocol/version.ts";
import { temporary } from "../../support/temporary.ts";

const PLATFORM = `${process.platform}-${process.arch}`;

let folder = "";
beforeEach(async () => {
  folder = await temporary("installed");
});

const PATHS: [string, string][] = [
  ["/usr/bin/panewatch", `(${PLATFORM}, installed by a package)`],
  [
    "/usr/lib/node_modules/panewatch/node_modules/panewatch-linux-x64-musl/panewatch",
    "(linux-x64-musl, installed by npm)",
  ],
  [
    "/home/me/p/node_modules/.pnpm/panewatch-darwin-arm64@1.0.0/node_modules/panewatch-darwin-arm64/panewatch",
    "(darwin-arm64, installed by npm)",
  ],
  ["/opt/homebrew/Cellar/panewatch/1.0.0/bin/panewatch", `(${PLATFORM}, installed by Homebrew)`],
];
test.each(PATHS)("the version names the installer of %s", async (path, said) => {
  expect(await versionLine(path)).toBe(`${VERSION} ${said}`);
});

test("the version of a checkout, of Bun or of a copy names no installer", async () => {
  for (const path of [
    "/src/dist/panewatch",
    "/src/node_modules/.bin/bun",
    join(folder, "panewatch"),
  ])
    expect(await versionLine(path)).toBe(VERSION);
});

test("an installation by install.sh is found by its receipt", async () => {
  await writeFile(
    join(folder, ".panewatch-installed"),
    "1.0.0\nhttps://example.org/latest\nlinux-x64-musl\n",
  );
  const executable = join(folder, "panewatch");
  expect(await versionLine(executable)).toBe(
    `${VERSION} (linux-x64-musl, installed by install.sh)`,
  );
  const receipt = { address: "https://example.org/latest", target: "linux-x64-musl" };
  expect(await findInstallation(executable)).toMatchObject({ receipt });
});

const LASTING: [string, string][] = [
  ["/home/me/.local/bin/panewatch", "/home/me/.local/bin/panewatch"],
  ["/usr/bin/panewatch", "/usr/bin/panewatch"],
  [
    "/usr/lib/node_modules/panewatch/node_modules/panewatch-linux-x64/panewatch",
    "/usr/lib/node_modules/panewatch/node_modules/panewatch-linux-x64/panewatch",
  ],
  // An upgrade removes the folder with the version.
  [
    "/opt/homebrew/Cellar/panewatch/1.0.0/bin/panewatch",
    "/opt/homebrew/opt/panewatch/bin/panewatch",
  ],
  [
    "/home/linuxbrew/.linuxbrew/Cellar/panewatch/1.0.0_1/bin/panewatch",
    "/home/linuxbrew/.linuxbrew/opt/panewatch/bin/panewatch",
  ],
];
test.each(LASTING)("the service starts %s by a path that outlives upgrades", (path, lasting) => {
  expect(lastingPath(path)).toBe(lasting);
});

const CACHED = [
  "/home/me/.npm/_npx/0a1b/node_modules/panewatch-linux-x64/panewatch",
  "/home/me/.cache/pnpm/dlx/0a1b/node_modules/panewatch-linux-x64/panewatch",
  "/tmp/bunx-1000-panewatch@latest/node_modules/panewatch-linux-x64/panewatch",
];
test.each(CACHED)("a service is not installed from a cache: %s", (path) => {
  expect(() => lastingPath(path)).toThrow(/npm install -g panewatch/);
});
