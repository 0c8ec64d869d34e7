import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
/** What `build.ts` makes. */
export const EXECUTABLE = join(ROOT, "dist", "panewatch");
/** The same program from source. */
export const FROM_SOURCE = [process.execPath, "--no-env-file", join(ROOT, "src", "main.ts")];

/** All that a process printed until its end, and its exit code. */
export async function endOf(child: Bun.Subprocess<Bun.Spawn.Writable, "pipe", "pipe">) {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
}

/** What a stream has given so far, and its end. */
export function textOf(stream: ReadableStream<Uint8Array>) {
  const read = { text: "", end: Promise.resolve() };
  const follow = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) read.text += decoder.decode(chunk, { stream: true });
  };
  read.end = follow();
  return read;
}

/** What is printed up to `wanted`. */
export async function readUntil(
  stream: ReadableStream<Uint8Array>,
  wanted: RegExp,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (wanted.test(text)) return text;
  }
  throw new Error(`it ended without ${String(wanted)}: ${text}`);
}

const ADDRESS = /http:\/\/[\w.:[\]-]+/;

/** Where a service that was started says that it listens. */
export async function addressOf(stdout: ReadableStream<Uint8Array>): Promise<string> {
  const printed = await readUntil(stdout, ADDRESS);
  return ADDRESS.exec(printed)?.[0] ?? "";
}
