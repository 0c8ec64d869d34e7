/** The platforms that are built for; on Linux the libc is glibc where no other is named. */
export const TARGET_NAMES = [
  ...(["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl"] as const),
  ...(["darwin-x64", "darwin-arm64"] as const),
];
export type TargetName = (typeof TARGET_NAMES)[number];

export function targetFacts(target: TargetName) {
  const [os = "", cpu = "", libc = os === "linux" ? "glibc" : null] = target.split("-");
  return {
    ...{ os, cpu, libc },
    /** Architecture of its Debian package; null: there is none. */
    deb: libc === "glibc" ? cpu.replace("x64", "amd64") : null,
    /** Bun's own name of it, and the npm package that holds Bun for it. */
    bunTarget: `bun-${target}` as const,
    bunPackage: `@oven/bun-${target.replace("arm64", "aarch64")}`,
  };
}

/** Those that were built, each with the path of its executable. */
export const targetsOf = (
  executables: Readonly<Partial<Record<TargetName, string>>>,
): readonly (readonly [TargetName, string])[] =>
  TARGET_NAMES.flatMap((target) => {
    const path = executables[target];
    return path === undefined ? [] : [[target, path] as const];
  });
