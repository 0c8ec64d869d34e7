/** A platform that is built for. */
export interface Target {
  /** The npm package that holds Bun for it, and Bun's own name of it. */
  bunPackage: string;
  bunTarget: string;
  os: "linux" | "darwin";
  cpu: "x64" | "arm64";
  libc?: "glibc" | "musl";
  /** Architecture of its Debian package; absent: there is none. */
  deb?: "amd64" | "arm64";
}

export const TARGETS = {
  "linux-x64": {
    bunPackage: "@oven/bun-linux-x64",
    bunTarget: "bun-linux-x64",
    ...{ os: "linux", cpu: "x64", libc: "glibc", deb: "amd64" },
  },
  "linux-arm64": {
    bunPackage: "@oven/bun-linux-aarch64",
    bunTarget: "bun-linux-arm64",
    ...{ os: "linux", cpu: "arm64", libc: "glibc", deb: "arm64" },
  },
  "linux-x64-musl": {
    bunPackage: "@oven/bun-linux-x64-musl",
    bunTarget: "bun-linux-x64-musl",
    ...{ os: "linux", cpu: "x64", libc: "musl" },
  },
  "linux-arm64-musl": {
    bunPackage: "@oven/bun-linux-aarch64-musl",
    bunTarget: "bun-linux-arm64-musl",
    ...{ os: "linux", cpu: "arm64", libc: "musl" },
  },
  "darwin-x64": {
    bunPackage: "@oven/bun-darwin-x64",
    bunTarget: "bun-darwin-x64",
    ...{ os: "darwin", cpu: "x64" },
  },
  "darwin-arm64": {
    bunPackage: "@oven/bun-darwin-aarch64",
    bunTarget: "bun-darwin-arm64",
    ...{ os: "darwin", cpu: "arm64" },
  },
} as const satisfies Record<string, Target>;

export type TargetName = keyof typeof TARGETS;

/** Those that were built, each with the path of its executable. */
export const targetsOf = (
  executables: Readonly<Partial<Record<TargetName, string>>>,
): readonly (readonly [TargetName, string])[] =>
  (Object.keys(TARGETS) as TargetName[]).flatMap((target) => {
    const path = executables[target];
    return path === undefined ? [] : [[target, path] as const];
  });
