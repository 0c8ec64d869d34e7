import { AppError } from "../errors.ts";
import { isTransmittable } from "../lib/inside.ts";
import { run, RunError } from "../lib/run.ts";

/**
 * So that a person's own connections stay untouched, ssh never prompts on a terminal, and no host key is
 * accepted that was not accepted before.
 */
const OPTIONS = [
  "BatchMode=yes",
  "ConnectTimeout=10",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=2",
  "Compression=yes",
  "ControlPath=none",
  "ForwardAgent=no",
  "ForwardX11=no",
  "ClearAllForwardings=yes",
  "PermitLocalCommand=no",
  "RequestTTY=no",
  "RemoteCommand=none",
  "LogLevel=ERROR",
  "StrictHostKeyChecking=yes",
  "UpdateHostKeys=no",
].flatMap((option) => ["-o", option]);

/** The command line of a link. The login shell there may be any: it gets no other command. */
export function linkCommand(ssh: string): string[] {
  return ["ssh", "-T", ...OPTIONS, "--", ssh, "exec /bin/sh"];
}

/**
 * `tmux`: commands for tmux; `sh`: a script around them. These are answered one after another. `aside`:
 * any other script, run by a process of its own, so that no request waits for anything but tmux.
 */
export type RequestKind = "tmux" | "sh" | "aside";

/** Where people install programs: a session without login has a short PATH. */
const FOLDERS = [
  "/opt/homebrew/bin",
  "/usr/local/bin",
  "$HOME/.local/bin",
  "/opt/local/bin",
  "/snap/bin",
].join(":");

/** After this a request aside is killed there with all that it has started, and not answered. */
const ASIDE_SECONDS = 5;

/**
 * The program of the POSIX shell at the other end: it reads a request, hands it to its program on stdin,
 * and writes the answer between two marks, or only that it is the same as the last one. Answers to
 * requests aside are written to stderr.
 *
 * A request is never begun when its end does not arrive, nor when it arrives after its sender has given
 * up, by the clock there: a stalled network or a machine that slept delivers old requests. The mark is
 * split in the script, so that a shell that echoes its input is not taken for ready. When the connection
 * ends, the shell kills all that still runs there, a client of a hung tmux too, if it leads the processes
 * of its session.
 */
export function remoteScript(mark: string): string {
  return `PATH=$PATH:${FOLDERS}; export PATH; unset TMUX TMUX_PANE
mark=${mark.slice(0, 4)}''${mark.slice(4)}
break='
'
last=
hand() { case $1 in tmux) tmux -u source-file - ;; *) /bin/sh ;; esac; }
reply() {
all=$( { said=$( { hand "$kind" <<END
$ask
END
} 2>&1 >&3 3>&- ); printf '%s status %s\\n%s\\n' "$mark" "$?" "$said"; } 3>&1 )
}
tell() { printf '%s begin\\n%s\\n%s done %s %s\\n' "$mark" "$all" "$mark" "$id" "$now"; }
fell() { kill -STOP "$1"; for each in $(pgrep -P "$1"); do fell "$each"; done; kill -9 "$1"; }
aside() {
{ reply; tell >&4; } </dev/null >/dev/null 2>&1 &
job=$!
{ sleep ${ASIDE_SECONDS} && fell "$job"; } </dev/null >/dev/null 2>&1 4>&- &
wait "$job"
kill "$!"
}
leads() {
read -r _ _ _ _ group _ <"/proc/$$/stat" || group=$(ps -o pgid= -p "$$")
[ "$group" -eq "$$" ]
} 2>/dev/null
serve() {
while read -r id kind until; do
ask=
while IFS= read -r line || exit; do
[ "$line" = . ] && break
ask=$ask$line$break
done
if [ "$kind" = aside ]; then aside 4>&2 2>/dev/null & continue; fi
now=$(date +%s)
if [ -n "$until" ] && [ "$now" -gt "$until" ]; then
printf '%s late %s %s\\n' "$mark" "$id" "$now"
continue
fi
reply
if [ "$kind $ask$all" = "$last" ]; then printf '%s same %s %s\\n' "$mark" "$id" "$now"
else tell; last="$kind $ask$all"; fi
done
}
printf '\\n%s ready %s\\n' "$mark" "$(tmux -V 2>/dev/null || :)"
{ command -p cat || cat; leads && kill 0; } | serve; exit
`;
}

/**
 * A request as the shell reads it; no line of `text` may be a dot alone.
 * @param until epoch seconds there, after which it is not begun; null: it is begun at any time
 */
export function remoteRequest(
  id: number,
  kind: RequestKind,
  text: string,
  until: number | null = null,
): string {
  return `${id} ${kind} ${until ?? ""}\n${text}${text.endsWith("\n") ? "" : "\n"}.\n`;
}

const TIMEOUT_MS = 120_000;
const QUOTA_KB = 200 * 1024;
const MINUTES_KEPT = 24 * 60;
const PARTIAL_MINUTES_KEPT = 60;
const HEX = "[0-9a-f]".repeat(32);
const UPLOADED = "panewatch-uploaded";
const NO_ROOM = 6;

export interface OutgoingImage {
  name: string;
  bytes: Uint8Array;
}

/** Over a connection of its own. @returns the path there @throws AppError storage */
export async function putImage(
  image: OutgoingImage,
  { command, signal }: { command: readonly string[]; signal: AbortSignal },
): Promise<string> {
  const argv = [...command.slice(0, -1), `exec /bin/sh -c '${uploadScript(image)}'`];
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: 64 * 1024, signal };
  const result = await run(argv, { ...limits, stdin: image.bytes }).catch((cause: unknown) => {
    if (cause instanceof RunError) throw unavailable(cause);
    throw cause;
  });
  if (result.code === NO_ROOM)
    throw new AppError("storage", "temporary image upload quota exceeded");
  const lines = new TextDecoder().decode(result.stdout).split("\n");
  const path = lines[lines.indexOf(UPLOADED) + 1] ?? "";
  const isPath = path.startsWith("/") && path.endsWith(`/${image.name}`) && isTransmittable(path);
  if (result.code !== 0 || !lines.includes(UPLOADED) || !isPath)
    throw unavailable(new Error(`ended with ${result.code}: ${result.stderr.trim()}`));
  return path;
}

/**
 * The login shell may be any, and reads this between single quotes: it must hold no single quote, line
 * break, backslash or exclamation mark.
 */
function uploadScript({ name, bytes }: OutgoingImage): string {
  if (!/^[0-9a-f]{32}\.[a-z]+$/.test(name)) throw new Error(`not the name of an image: ${name}`);
  const hex = name.slice(0, 32);
  const older = (pattern: string, minutes: number) =>
    `find "$d" -maxdepth 1 -type f -name "${pattern}" -mmin +${minutes} -exec rm -f {} +`;
  return [
    "umask 077; d=$HOME/.panewatch/uploads",
    'mkdir -p "$d" || exit 7; test -h "$d" && exit 7; chmod 700 "$d" || exit 7',
    older(`${HEX}.*`, MINUTES_KEPT),
    older(`.${HEX}.part`, PARTIAL_MINUTES_KEPT),
    `set -- $(du -sk "$d"); test $(($1 + ${Math.ceil(bytes.length / 1024)})) -gt ${QUOTA_KB} && exit ${NO_ROOM}`,
    // A file that a broken connection has cut off never gets its final name.
    `p=$d/.${hex}.part; cat > "$p" && test $(wc -c < "$p") -eq ${bytes.length} && mv "$p" "$d/${name}" || { rm -f "$p"; exit 8; }`,
    `echo ${UPLOADED}; echo "$d/${name}"`,
  ].join("; ");
}

function unavailable(cause: Error): AppError {
  return new AppError("storage", "temporary image storage is unavailable", undefined, { cause });
}
