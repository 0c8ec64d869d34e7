/** All that a process printed until its end, and its exit code. */
export async function endOf(child: Bun.Subprocess<Bun.Spawn.Writable, "pipe", "pipe">) {
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, code };
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
