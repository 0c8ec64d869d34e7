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
  const stdout = child.stdout.getReader();
  const stderr = child.stderr.getReader();

  let failure: RunError | null = null;
  const fail = (error: RunError) => {
    failure ??= error;
    killGroup(child);
    // A descendant that left the group may hold the pipes open: nobody waits for it.
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
      readLimited(stdout, options.maxBytes, tooLarge),
      readMessages(stderr),
    ]);
    const code = await child.exited;
    if (failure) throw failure;
    return { code, stdout: output, stderr: messages };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A program of our own that stays, reads lines and writes lines. */
export interface Companion {
  /** One that can hear nothing any more is ended; that is told by `onEnd`, never thrown here. */
  send(line: string): void;
  /** Ends it at once, whatever it is doing; answers the milliseconds of processor time it used. */
  end(): Promise<number>;
}

export interface CompanionOptions {
  onLine: (line: string) => void;
  /** It has ended, by itself or by `end`; its last lines may not have been heard. */
  onEnd: () => void;
}

/** @throws RunError when it cannot be started. */
export function startCompanion(argv: readonly string[], options: CompanionOptions): Companion {
  const child = startChild(argv);
  child.unref();
  const end = () => {
    // Of one that ended long ago, the number may be another's by now.
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  };
  // What was half written when it was ended says nothing.
  readLines(child.stdout.getReader(), options.onLine).catch(() => undefined);
  // Not the end of its output: that was seen to go unheard, and another may hold the pipe.
  void child.exited.then(options.onEnd);
  return {
    send(line) {
      write(child.stdin, `${line}\n`).catch(end);
    },
    async end() {
      end();
      await child.exited;
      return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
    },
  };
}

function startChild(argv: readonly string[]) {
  try {
    return Bun.spawn([...argv], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      // Out of reach of a Ctrl-C that is meant for us: we end it.
      detached: true,
    });
  } catch (cause) {
    throw notStarted(argv, cause);
  }
}

/** Rejects where the sink throws or rejects, and it does both: by when its reader went away. */
async function write(sink: Bun.FileSink, text: string): Promise<void> {
  await sink.write(text);
  await sink.flush();
}

async function readLines(reader: Reader, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
}

function spawn(argv: readonly string[], options: RunOptions) {
  try {
    return Bun.spawn([...argv], {
      stdin: options.stdin === undefined ? "ignore" : bytesOf(options.stdin),
      stdout: "pipe",
      stderr: "pipe",
      // A group of its own, so that what it started ends with it.
      detached: true,
      ...(options.env ? { env: options.env } : {}),
      ...(options.cwd ? { cwd: options.cwd } : {}),
    });
  } catch (cause) {
    throw notStarted(argv, cause);
  }
}

function notStarted([name = ""]: readonly string[], cause: unknown): RunError {
  const why = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return new RunError("not_found", `${name}: cannot be started${why}`, { cause });
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

/** Also what a process that has ended itself left behind: it holds the pipes open. */
function killGroup(child: { pid: number; kill: (signal: "SIGKILL") => void }) {
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It has not become a group yet, or nobody is left in it.
    child.kill("SIGKILL");
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readLimited(
  reader: Reader,
  maxBytes: number,
  onTooLarge: () => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    if (value === undefined) continue;
    size += value.length;
    if (size > maxBytes) {
      onTooLarge();
      break;
    }
    chunks.push(value);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}

// Read to its end also past the limit: a full pipe would hold the process.
async function readMessages(reader: Reader): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    if (text.length < MAX_STDERR_CHARS) text += decoder.decode(value, { stream: true });
  return text.slice(0, MAX_STDERR_CHARS);
}
