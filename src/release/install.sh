#!/bin/sh
# Installs panewatch for this user: one executable, checked before it is placed.
#
#   curl -fsSL URL/install.sh | sh
#   sh install.sh [--version X.Y.Z] [--dir DIR] [--from URL] [--uninstall]
#
# It edits no file of a shell and asks for no rights.
set -eu

RELEASE='@VERSION@'
FROM='@FROM@'
# Where the newest release is found, for panewatch upgrade.
LATEST='@LATEST@'
# Who signs releases, as minisign writes a public key.
KEYS='@KEYS@'

fail() {
  printf 'install: %s\n' "$1" >&2
  exit 1
}

say() {
  printf '%s\n' "$1"
}

have() {
  command -v "$1" >/dev/null 2>&1
}

usage() {
  cat <<'USAGE'
Usage: sh install.sh [flags]

  --version X.Y.Z   that release in place of this one
  --dir DIR         where the executable goes; absent: $XDG_BIN_HOME, else ~/.local/bin
  --from URL        where the files of the release are
  --uninstall       remove what this script has installed
USAGE
}

value_of() {
  [ "$#" -ge 2 ] && [ -n "$2" ] || fail "$1 needs a value"
  printf '%s' "$2"
}

main() {
  case $RELEASE in
    @*) fail 'this is the template of a checkout; a release has its install.sh' ;;
  esac
  dir=${XDG_BIN_HOME:-}
  uninstall=no
  while [ "$#" -gt 0 ]; do
    case $1 in
      --version)
        wanted=$(value_of "$@")
        wanted=${wanted#v}
        case $wanted in
          *[!0-9A-Za-z.-]*) fail "$wanted is no version" ;;
        esac
        FROM=$(printf '%s' "$FROM" | sed "s/$(printf '%s' "$RELEASE" | sed 's/\./\\./g')/$wanted/g")
        RELEASE=$wanted
        shift
        ;;
      --dir)
        dir=$(value_of "$@")
        shift
        ;;
      --from)
        FROM=$(value_of "$@")
        LATEST=$FROM
        shift
        ;;
      --uninstall) uninstall=yes ;;
      -h | --help)
        usage
        exit 0
        ;;
      *) fail "unknown argument $1; see --help" ;;
    esac
    shift
  done
  if [ -z "$dir" ]; then
    [ -n "${HOME:-}" ] || fail 'HOME is not set: say where to install with --dir'
    dir=$HOME/.local/bin
  fi
  case $dir in
    /*) ;;
    *) dir=$(pwd)/$dir ;;
  esac
  if [ "$uninstall" = yes ]; then
    remove "$dir"
  else
    install "$dir"
  fi
}

# Name of the release for this machine: linux-x64, linux-arm64-musl, darwin-arm64 and their like.
target() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "there is no release for the processor $machine" ;;
  esac
  case $system in
    Linux)
      if is_musl; then
        printf 'linux-%s-musl' "$cpu"
      else
        printf 'linux-%s' "$cpu"
      fi
      ;;
    Darwin)
      # A translated shell says x86_64 on an arm64 machine.
      if [ "$cpu" = x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
        cpu=arm64
      fi
      printf 'darwin-%s' "$cpu"
      ;;
    *) fail "there is no release for $system" ;;
  esac
}

is_musl() {
  if have ldd && ldd --version 2>&1 | grep -qi musl; then
    return 0
  fi
  for loader in /lib/ld-musl-*; do
    [ -e "$loader" ] && [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ] &&
      return 0
  done
  return 1
}

is_loopback() {
  case $1 in
    http://127.0.0.1[:/]* | http://localhost[:/]* | 'http://[::1]'[:/]*) return 0 ;;
  esac
  return 1
}

# By HTTPS alone, also where it leads elsewhere; on this machine itself plain HTTP does.
fetch() {
  scheme='=https'
  if is_loopback "$1"; then scheme='=http'; fi
  if have curl; then
    curl -fsSL --retry 2 --tlsv1.2 --proto "$scheme" --proto-redir '=https' -o "$2" "$1" ||
      fail "cannot download $1"
  elif have wget; then
    # It cannot be told which addresses to follow: where it has been is read afterwards.
    wget -S -O "$2" "$1" 2>"$work/led" || fail "cannot download $1"
    if grep -qi '^ *location: *http:' "$work/led"; then fail "$1 leads to an address without HTTPS"; fi
  else
    fail 'curl or wget is needed to download'
  fi
}

# Prints the SHA-256 of a file in hex.
sum_of() {
  if have sha256sum; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif have shasum; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  elif have openssl; then
    openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1
  else
    fail 'sha256sum, shasum or openssl is needed to check what was downloaded; nothing was installed'
  fi
}

# One of our keys has signed the sums: minisign's form, which openssl 3 reads as well.
check_signature() {
  if [ -z "$KEYS" ]; then
    say 'this install.sh knows no key: nobody has signed these sums'
    return 0
  fi
  fetch "$FROM/SHA256SUMS.minisig" "$work/SHA256SUMS.minisig"
  if have openssl && openssl pkeyutl -help 2>&1 | grep -q rawin; then
    sed -n 2p "$work/SHA256SUMS.minisig" | openssl base64 -d -A | tail -c 64 >"$work/signature"
    for key in $KEYS; do
      {
        # What stands before the 32 bytes of an Ed25519 key (RFC 8410).
        printf '\060\052\060\005\006\003\053\145\160\003\041\000'
        printf '%s' "$key" | openssl base64 -d -A | tail -c 32
      } >"$work/key"
      openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$work/SHA256SUMS" \
        -sigfile "$work/signature" >/dev/null 2>&1 && return 0
    done
  elif have minisign; then
    for key in $KEYS; do
      minisign -Vqm "$work/SHA256SUMS" -x "$work/SHA256SUMS.minisig" -P "$key" 2>/dev/null && return 0
    done
  else
    say 'the signature was not checked: neither openssl 3 nor minisign is here'
    return 0
  fi
  fail "$FROM/SHA256SUMS is signed by nobody of panewatch; nothing was installed"
}

install() {
  dir=$1
  case $FROM in
    https://*) ;;
    http://*) is_loopback "$FROM/" || fail "refusing $FROM: only https is safe against changes" ;;
    *) fail 'say where the files of the release are: --from URL' ;;
  esac
  target=$(target)
  name=panewatch-$target.tar.gz
  file=$dir/panewatch
  work=$(mktemp -d "${TMPDIR:-/tmp}/panewatch-install.XXXXXX") || fail 'cannot make a folder to work in'
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM PIPE
  # Before anything is downloaded: a machine that cannot check it shall not fetch it.
  : >"$work/empty"
  sum_of "$work/empty" >/dev/null
  have tar && have gzip || fail 'tar and gzip are needed to unpack; nothing was installed'

  mkdir -p "$dir" 2>/dev/null || fail "cannot make $dir: choose another folder with --dir"
  [ -w "$dir" ] || fail "cannot write to $dir: choose another folder with --dir"
  if [ -e "$file" ] && [ ! -e "$dir/.panewatch-installed" ]; then
    fail "$file is there and not from this script: remove it, or choose another folder with --dir"
  fi

  say "panewatch $RELEASE for $target"
  fetch "$FROM/SHA256SUMS" "$work/SHA256SUMS"
  check_signature
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$name\$/\1/p" "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "$FROM/SHA256SUMS does not name $name"
  fetch "$FROM/$name" "$work/$name"
  actual=$(sum_of "$work/$name")
  [ "$actual" = "$expected" ] || fail "$name is not what SHA256SUMS says; nothing was installed"
  tar -xzf "$work/$name" -C "$work" || fail "cannot unpack $name; nothing was installed"
  chmod 755 "$work/panewatch"
  told=$("$work/panewatch" --version 2>/dev/null) || fail "$name does not run on this machine; nothing was installed"
  told=${told%% *}
  [ "$told" = "$RELEASE" ] || fail "$FROM has panewatch $told, not $RELEASE (--version $told takes that); nothing was installed"

  # Beside its place first: the rename leaves a running one its file.
  was_there=no
  if [ -e "$file" ]; then was_there=yes; fi
  if ! cp "$work/panewatch" "$file.new" || ! mv -f "$file.new" "$file"; then
    rm -f "$file.new"
    fail "cannot write $file; what was there is untouched"
  fi
  printf '%s\n%s\n%s\n' "$told" "$LATEST" "$target" >"$dir/.panewatch-installed"
  say "installed $file ($told)"
  if [ "$was_there" = yes ]; then say 'a panewatch that runs is still the one before: start it again'; fi
  start=panewatch
  case ":${PATH:-}:" in
    *":$dir:"*) ;;
    *)
      say "$dir is not in PATH. This line puts it there:  export PATH=\"$dir:\$PATH\""
      start=$file
      case $start in *[!A-Za-z0-9/._-]*) start="'$start'" ;; esac
      ;;
  esac
  have tmux || say 'tmux was not found: panewatch watches what runs in it (3.2 or newer)'
  case ${SHELL:-} in
    */bash | */zsh)
      shell=${SHELL##*/}
      say "to complete with Tab, in ~/.${shell}rc:  eval \"\$(panewatch completions $shell)\""
      ;;
    */fish)
      say 'to complete with Tab, in ~/.config/fish/config.fish:  panewatch completions fish | source'
      ;;
  esac
  say "start it with: $start"
  say "start it, and bring it to your phone: $start phone"
}

remove() {
  dir=$1
  [ -e "$dir/.panewatch-installed" ] || fail "nothing in $dir is from this script"
  for unit in "${XDG_CONFIG_HOME:-${HOME:-}/.config}/systemd/user/panewatch.service" "${HOME:-}"/Library/LaunchAgents/*panewatch.plist; do
    if grep -qF "$dir/panewatch" "$unit" 2>/dev/null; then
      fail "it starts at login: $dir/panewatch service uninstall, then this again"
    fi
  done
  rm -f "$dir/panewatch" "$dir/panewatch.old" "$dir/.panewatch-installed" || fail "cannot remove $dir/panewatch"
  rm -rf "$dir"/.panewatch-upgrade-*
  say "removed $dir/panewatch; settings and state stay in ~/.panewatch"
}

# As a function, so that a download that breaks off runs nothing.
main "$@"
