import { codeOf } from "../errors.ts";

/** A subprocess gave no usable result. An exit code is not such an error: callers judge it. */
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

export interface Limits {
  timeoutMs: number;
  /** More output is `too_large`. */
  maxBytes: number;
  signal?: AbortSignal;
}

export interface RunOptions extends Limits {
  stdin?: string | Uint8Array;
  /** The whole environment; absent: this process's own. */
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Gets the output of both streams as it comes. */
  onOutput?: (bytes: Uint8Array) => void;
}

export interface RunResult {
  code: number;
  stdout: Uint8Array;
  /** At most 4096 characters. */
  stderr: string;
}

const MAX_STDERR_CHARS = 4096;
/** After that, a process that cannot be killed is not waited for. */
const KILLED_WITHIN_MS = 500;

/**
 * Runs an argument list to its end, never through a shell.
 * @throws RunError when the executable is missing, or a limit was reached or the signal given; the
 * process has been killed then
 */
export async function run(argv: readonly string[], options: RunOptions): Promise<RunResult> {
  const name = argv[0] ?? "";
  const { signal } = options;
  if (signal?.aborted) throw new RunError("aborted", `${name}: stopped before it began`);
  const child = spawn(argv, options);
  // A process that has not read its input is judged by its exit code.
  feed(child.stdin, options.stdin).catch(() => undefined);
  const stdout = child.stdout.getReader();
  const stderr = child.stderr.getReader();

  let failure: RunError | null = null;
  const abandoned = Promise.withResolvers<null>();
  const fail = (error: RunError) => {
    failure ??= error;
    killGroup(child);
    setTimeout(abandoned.resolve, KILLED_WITHIN_MS, null).unref();
    // A descendant that left the group may hold the pipes open.
    for (const reader of [stdout, stderr]) reader.cancel().catch(() => undefined);
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
    const [output, messages] = await Promise.all([
      readLimited(stdout, options, tooLarge),
      readMessages(stderr, options),
    ]);
    const code = await Promise.race([child.exited, abandoned.promise]);
    if (failure || code === null) throw failure;
    return { code, stdout: output, stderr: messages };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/**
 * Runs an argument list in the terminal of this process, where a person may be asked, to its end.
 * @throws RunError when it cannot be started
 */
export async function runInTerminal(argv: readonly string[]): Promise<number> {
  try {
    return await Bun.spawn([...argv], { stdio: ["inherit", "inherit", "inherit"] }).exited;
  } catch (cause) {
    throw notStarted(argv, cause);
  }
}

function spawn(argv: readonly string[], options: RunOptions) {
  try {
    return Bun.spawn([...argv], {
      // Given here, the bytes would hold a descriptor until the next garbage collection.
      stdin: options.stdin === undefined ? "ignore" : "pipe",
      stdout: "pipe",
      stderr: "pipe",
      // A process group of its own, so that descendants can be killed with it.
      detached: true,
      ...(options.env ? { env: options.env } : {}),
      ...(options.cwd ? { cwd: options.cwd } : {}),
    });
  } catch (cause) {
    throw notStarted(argv, cause);
  }
}

export function notStarted([name = ""]: readonly string[], cause: unknown): RunError {
  const code = codeOf(cause);
  const why = code === null ? "" : ` (${code})`;
  return new RunError("not_found", `${name}: cannot be started${why}`, { cause });
}

/** Bun throws or rejects, by when the reader closed its end; both become a rejection. */
async function feed(sink: Bun.FileSink | undefined, text: RunOptions["stdin"]): Promise<void> {
  if (sink === undefined || text === undefined) return;
  await sink.write(text);
  await sink.end();
}

/** Kills a process and its descendants, which may outlive it and hold the pipes open. */
export function killGroup({ pid }: { pid: number }): void {
  for (const id of [-pid, pid]) {
    try {
      process.kill(id, "SIGKILL");
      return;
    } catch {
      // The group does not exist yet, is empty, or runs as another user.
    }
  }
}

export type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readLimited(
  reader: Reader,
  { maxBytes, onOutput }: RunOptions,
  onTooLarge: () => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    if (value === undefined) continue;
    onOutput?.(value);
    size += value.length;
    if (size > maxBytes) {
      onTooLarge();
      break;
    }
    chunks.push(value);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

// Reads past the limit too: a full pipe would block the process.
async function readMessages(reader: Reader, { onOutput }: RunOptions): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    if (value !== undefined) onOutput?.(value);
    if (text.length < MAX_STDERR_CHARS) text += decoder.decode(value, { stream: true });
  }
  return text.slice(0, MAX_STDERR_CHARS);
}
