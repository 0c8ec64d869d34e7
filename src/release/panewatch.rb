class Panewatch < Formula
  desc "Answer coding agents that wait, from a phone or a desk"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "MIT"

  on_macos do
@MACOS@
  end

  on_linux do
@LINUX@
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
