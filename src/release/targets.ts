/** On Linux the libc is glibc unless another one is named. */
export const TARGETS = [
  ...(["linux-x64", "linux-arm64", "linux-x64-musl", "linux-arm64-musl"] as const),
  ...(["darwin-x64", "darwin-arm64"] as const),
];

export function targetFacts(target: string) {
  const [os = "", cpu = "", libc = os === "linux" ? "glibc" : null] = target.split("-");
  return {
    ...{ os, cpu, libc },
    /** Architecture of its Debian package; null: it has none. */
    deb: libc === "glibc" ? cpu.replace("x64", "amd64") : null,
    /** The npm package with Bun for it. */
    bunPackage: `@oven/bun-${target.replace("arm64", "aarch64")}`,
  };
}
