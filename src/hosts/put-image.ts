import { AppError } from "../errors.ts";
import { isSpeakable } from "../lib/inside.ts";
import { run, RunError } from "../lib/run.ts";

const TIMEOUT_MS = 120_000;
const QUOTA_KB = 200 * 1024;
const MINUTES_KEPT = 24 * 60;
const PARTIAL_MINUTES_KEPT = 60;
const HEX = "[0-9a-f]".repeat(32);
const UPLOADED = "panewatch-uploaded";
const NO_ROOM = 6;

/** One file on its way to another machine. */
export interface OutgoingImage {
  name: string;
  bytes: Uint8Array;
}

interface PutOptions {
  command: readonly string[];
  signal: AbortSignal;
}

/**
 * Writes an image into the uploads of another machine, over a connection of its own: what the kept
 * shell is asked meanwhile does not wait for it.
 * @returns its path there
 * @throws AppError storage
 */
export async function putImage(image: OutgoingImage, options: PutOptions): Promise<string> {
  const { bytes } = image;
  const argv = [...options.command.slice(0, -1), `exec /bin/sh -c '${scriptOf(image)}'`];
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: 64 * 1024, signal: options.signal };
  const result = await run(argv, { ...limits, stdin: bytes }).catch((cause: unknown) => {
    if (cause instanceof RunError) throw unavailable(cause);
    throw cause;
  });
  if (result.code === NO_ROOM)
    throw new AppError("storage", "temporary image upload quota exceeded");
  const said = new TextDecoder().decode(result.stdout).split("\n");
  const path = said[said.indexOf(UPLOADED) + 1] ?? "";
  if (result.code !== 0 || !said.includes(UPLOADED) || !isPathOf(path, image.name))
    throw unavailable(new Error(`ended with ${result.code}: ${result.stderr.trim()}`));
  return path;
}

/**
 * A login shell may be any, and reads this between single quotes: it holds none, no line break, no
 * backslash and no exclamation mark.
 */
function scriptOf({ name, bytes }: OutgoingImage): string {
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
    // What a broken connection has cut off never gets its name.
    `p=$d/.${hex}.part; cat > "$p" && test $(wc -c < "$p") -eq ${bytes.length} && mv "$p" "$d/${name}" || { rm -f "$p"; exit 8; }`,
    `echo ${UPLOADED}; echo "$d/${name}"`,
  ].join("; ");
}

function isPathOf(path: string, name: string): boolean {
  return path.startsWith("/") && path.endsWith(`/${name}`) && isSpeakable(path);
}

function unavailable(cause: Error): AppError {
  return new AppError("storage", "temporary image storage is unavailable", undefined, { cause });
}
