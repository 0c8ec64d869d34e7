/** Why a subprocess gave no usable result. Its exit code is not an error: callers judge that. */
export class RunError extends Error {
  override readonly name = "RunError";
  constructor(
    readonly kind: "not_found" | "timeout" | "too_large" | "aborted",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface RunOptions {
  timeoutMs: number;
  /** Most bytes of stdout that are read; more ends the process with `too_large`. */
  maxBytes: number;
  stdin?: string | Uint8Array;
  /** The whole environment; absent: this process's own. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  signal?: AbortSignal;
}

export interface RunResult {
  code: number;
  stdout: Uint8Array;
  /** At most 4096 characters. */
  stderr: string;
}

const MAX_STDERR_CHARS = 4096;

/**
 * Runs an argument list to its end, never through a shell.
 * @throws RunError when the executable is missing, or time, output or patience ran out; the
 * process has been killed then.
 */
export async function run(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  const name = argv[0] ?? "";
  const { signal } = options;
  if (signal?.aborted) throw new RunError("aborted", `${name}: stopped before it began`);
  const child = spawn(argv, options);

  let failure: RunError | null = null;
  const fail = (error: RunError) => {
    failure ??= error;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(
    () => fail(new RunError("timeout", `${name}: no end within ${options.timeoutMs} ms`)),
    options.timeoutMs,
  );
  const onAbort = () => fail(new RunError("aborted", `${name}: stopped`));
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const tooLarge = () =>
      fail(new RunError("too_large", `${name}: more than ${options.maxBytes} bytes of output`));
    const [stdout, stderr] = await Promise.all([
      readLimited(child.stdout, options.maxBytes, tooLarge),
      readStderr(child.stderr),
    ]);
    const code = await child.exited;
    if (failure) throw failure;
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function spawn(argv: readonly string[], options: RunOptions) {
  try {
    return Bun.spawn([...argv], {
      stdin: options.stdin === undefined ? "ignore" : bytesOf(options.stdin),
      stdout: "pipe",
      stderr: "pipe",
      ...(options.env ? { env: options.env } : {}),
      ...(options.cwd ? { cwd: options.cwd } : {}),
    });
  } catch (cause) {
    throw new RunError("not_found", `${argv[0] ?? ""}: cannot be started`, { cause });
  }
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

async function readLimited(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  onTooLarge: () => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBytes) {
      onTooLarge();
      break;
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

// Read to its end also past the limit: a full pipe would hold the process.
async function readStderr(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    if (text.length < MAX_STDERR_CHARS) text += decoder.decode(chunk, { stream: true });
  }
  return text.slice(0, MAX_STDERR_CHARS);
}
