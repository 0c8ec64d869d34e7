import type { Artifact, Manifest } from "./npm.ts";
import { TARGETS, type Target } from "./targets.ts";

/** A Homebrew formula for macOS and Linux; Homebrew itself runs on glibc. */
export function formula({ version, from, artifacts }: Manifest, homepage: string): string {
  const block = (os: Target["os"]) =>
    artifacts
      .filter(({ target }) => isFor(TARGETS[target], os))
      .map((artifact) => source(artifact, from))
      .join("\n");
  return `class Panewatch < Formula
  desc "Answer coding agents that wait, from a phone or a desk"
  homepage "${homepage}"
  version "${version}"
  license "MIT"

  on_macos do
${block("darwin")}
  end

  on_linux do
${block("linux")}
  end

  def install
    bin.install "panewatch"
    man1.install "man/panewatch.1"
    bash_completion.install "completions/panewatch.bash" => "panewatch"
    zsh_completion.install "completions/_panewatch"
    fish_completion.install "completions/panewatch.fish"
  end

  def caveats
    "panewatch watches what runs in tmux 3.2 or newer: brew install tmux"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/panewatch --version")
  end
end
`;
}

const isFor = (target: Target, os: Target["os"]): boolean =>
  target.os === os && target.libc !== "musl";

function source({ target, file, sha256 }: Artifact, from: string): string {
  const cpu = TARGETS[target].cpu === "arm64" ? "on_arm" : "on_intel";
  return `    ${cpu} do
      url "${from}/${file}"
      sha256 "${sha256}"
    end`;
}
