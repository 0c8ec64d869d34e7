// Writes everything that a release publishes.
import { chmod, cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isSigned } from "../cli/install/signature.ts";
import { sha256 } from "../lib/digest.ts";
import type { ReleaseArtifact, ReleaseManifest } from "../protocol/release.ts";
import { fillTemplate } from "../lib/words.ts";
import {
  formula,
  type ReleaseOptions,
  runTool,
  writeCompletions,
  writeManual,
  writeNpmPackages,
} from "./npm.ts";
import { bomOf } from "./sbom.ts";
import { signatureOf } from "./sign.ts";
import { targetFacts } from "./targets.ts";

const ROOT = join(import.meta.dir, "..", "..");
/** Files beside the executable in an archive. */
const BESIDE = ["LICENSE", "README.md", "CHANGELOG.md"];

/**
 * Writes into `out` the archives for install.sh, the Homebrew formula, the npm packages and the
 * Debian packages.
 * @throws Error where a tool fails
 */
export async function writeRelease(options: ReleaseOptions): Promise<ReleaseManifest> {
  const { version, executables, out } = options;
  const manifest = await writeArchives(options);
  const debs: SummedFile[] = [];
  for (const [target, executable] of Object.entries(executables)) {
    const { deb } = targetFacts(target);
    if (deb) debs.push(await debianPackage({ ...options, arch: deb, executable }));
  }
  await writeSums(options, [...manifest.artifacts, ...debs]);
  await Bun.write(join(out, "panewatch.rb"), await formula(manifest, options.homepage));
  await writeNpmPackages({ version, executables, out: join(out, "npm") });
  return manifest;
}

/**
 * Writes an archive for each target, `manifest.json`, `SHA256SUMS`, `sbom.cdx.json` and
 * `install.sh`.
 */
export async function writeArchives(options: ReleaseOptions): Promise<ReleaseManifest> {
  const { version, from, executables, out } = options;
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const artifacts: ReleaseArtifact[] = [];
  for (const [target, executable] of Object.entries(executables))
    artifacts.push(await archive(target, executable, out));
  const manifest = { version, from, artifacts };
  await Bun.write(join(out, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeSums(options, artifacts);
  const lock = await Bun.file(join(ROOT, "package-lock.json")).json();
  await Bun.write(join(out, "sbom.cdx.json"), `${JSON.stringify(bomOf(lock, version), null, 2)}\n`);
  await Bun.write(join(out, "install.sh"), await installScript(options));
  await chmod(join(out, "install.sh"), 0o755);
  return manifest;
}

type SummedFile = Pick<ReleaseArtifact, "file" | "sha256">;

async function writeSums(
  { out, version, keys, signingKey }: ReleaseOptions,
  files: readonly SummedFile[],
): Promise<void> {
  const sums = Buffer.from(files.map(({ sha256, file }) => `${sha256}  ${file}\n`).join(""));
  await Bun.write(join(out, "SHA256SUMS"), sums);
  if (signingKey === null) return;
  const signature = signatureOf(sums, signingKey, `panewatch ${version}`);
  if (!isSigned(sums, signature, keys))
    throw new Error("the signing key is none of those that install.sh and upgrade know");
  await Bun.write(join(out, "SHA256SUMS.minisig"), signature);
}

async function archive(target: string, executable: string, out: string): Promise<ReleaseArtifact> {
  const file = `panewatch-${target}.tar.gz`;
  const folder = join(out, `.${target}`);
  await mkdir(folder, { recursive: true });
  await cp(executable, join(folder, "panewatch"));
  for (const name of BESIDE) await cp(join(ROOT, name), join(folder, name));
  await writeManual(join(folder, "man"));
  await writeCompletions((_, name) => join(folder, "completions", name));
  await tar(folder, join(out, file), ["panewatch", ...BESIDE, "man", "completions"]);
  await rm(folder, { recursive: true });
  const path = join(out, file);
  return { target, file, size: Bun.file(path).size, sha256: await sha256Of(path) };
}

/** Owner and times are fixed: the same files give the same archive. */
function tar(folder: string, file: string, names: readonly string[]): Promise<void> {
  const fixed = ["--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--sort=name"];
  return runTool(folder, ["tar", ...fixed, "-czf", file, ...names]);
}

async function sha256Of(path: string): Promise<string> {
  return sha256(await Bun.file(path).bytes()).toString("hex");
}

async function installScript(options: ReleaseOptions): Promise<string> {
  const { version, from, latest, keys } = options;
  const script = await Bun.file(join(import.meta.dir, "install.sh")).text();
  return fillTemplate(script, {
    VERSION: version,
    FROM: from,
    LATEST: latest,
    KEYS: keys.join(" "),
  });
}

/** Where each shell looks for completions of packages. */
const DEBIAN_COMPLETIONS: Readonly<Record<string, string>> = {
  bash: "bash-completion/completions/panewatch",
  zsh: "zsh/vendor-completions/_panewatch",
  fish: "fish/vendor_completions.d/panewatch.fish",
};

async function debianPackage(
  options: Pick<ReleaseOptions, "version" | "homepage" | "out"> & {
    arch: string;
    executable: string;
  },
): Promise<SummedFile> {
  const { version, homepage, arch, executable, out } = options;
  const file = `panewatch_${version}_${arch}.deb`;
  const folder = join(out, `.deb-${arch}`);
  const data = join(folder, "data");
  const doc = join(data, "usr", "share", "doc", "panewatch");
  await mkdir(join(data, "usr", "bin"), { recursive: true });
  await mkdir(doc, { recursive: true });
  await cp(executable, join(data, "usr", "bin", "panewatch"));
  await chmod(join(data, "usr", "bin", "panewatch"), 0o755);
  await cp(join(ROOT, "LICENSE"), join(doc, "copyright"));
  // Without a time, so that the same text gives the same package.
  const changelog = await Bun.file(join(ROOT, "CHANGELOG.md")).bytes();
  await Bun.write(join(doc, "changelog.gz"), Bun.gzipSync(changelog, { level: 9 }));
  await writeManual(join(data, "usr", "share", "man", "man1"));
  await writeCompletions((shell) => join(data, "usr", "share", DEBIAN_COMPLETIONS[shell] ?? ""));
  const kibibytes = String(Math.ceil(Bun.file(executable).size / 1024));
  await Bun.write(
    join(folder, "control", "control"),
    fillTemplate(await Bun.file(join(import.meta.dir, "control.txt")).text(), {
      ...{ VERSION: version, ARCH: arch, KIBIBYTES: kibibytes },
      HOMEPAGE: homepage === "" ? "" : `Homepage: ${homepage}\n`,
    }),
  );
  const [controlTar, dataTar] = [join(folder, "control.tar.gz"), join(folder, "data.tar.gz")];
  await tar(join(folder, "control"), controlTar, ["./control"]);
  await tar(data, dataTar, ["./usr"]);
  const members = [
    { name: "debian-binary", data: Buffer.from("2.0\n") },
    { name: "control.tar.gz", data: await Bun.file(controlTar).bytes() },
    { name: "data.tar.gz", data: await Bun.file(dataTar).bytes() },
  ];
  await Bun.write(join(out, file), arArchive(members));
  await rm(folder, { recursive: true });
  return { file, sha256: await sha256Of(join(out, file)) };
}

/**
 * The container of a Debian package: a magic line, then each member after a header of 60 bytes,
 * padded to an even length. @see ar(5)
 */
function arArchive(
  members: readonly { name: string; data: Uint8Array }[],
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [Buffer.from("!<arch>\n")];
  for (const { name, data } of members) {
    const fields = [
      name.padEnd(16),
      // Time, user and group.
      "0".padEnd(12),
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
