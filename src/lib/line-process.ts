import { closeSync } from "node:fs";
import { parseStat, readProc } from "./procfs.ts";
import { killGroup, notStarted, type Reader } from "./run.ts";

/** A long-running program. */
export interface PipedProgram {
  /** A program that does not read any more is killed. */
  write(text: string): void;
  /** Processor time so far, in steps of 10 ms; null where the system does not tell. */
  processorMs(): number | null;
  /** Kills it and its descendants; `onEnd` is called all the same. */
  kill(): void;
  /** Resolves at its end, with the milliseconds of processor time that it used. */
  readonly ended: Promise<number>;
}

interface PipedOptions {
  onOutput: (bytes: Uint8Array) => void;
  onMessages: (bytes: Uint8Array) => void;
  /** Called after all of its output. */
  onEnd: (code: number) => void;
}

/**
 * Runs a program and kills its process group once the pipe on descriptor 3 is closed: also where this
 * process was killed, and whatever the program waits for.
 */
const LIFELINE = '{ read -r _; kill -9 0; } <&3 >/dev/null 2>&1 & exec 3<&-; exec "$@"';

/** For the rest of the output of a killed program; a descendant may hold its pipes for longer. */
const LAST_OUTPUT_MS = 200;

/** @throws RunError when it cannot be started */
export function spawnPiped(argv: readonly string[], options: PipedOptions): PipedProgram {
  if (Bun.which(argv[0] ?? "") === null) throw notStarted(argv, new Error("it is not in PATH"));
  const child = startChild(["/bin/sh", "-c", LIFELINE, "sh", ...argv]);
  const lifeline = child.stdio[3];
  const kill = () => {
    // Its process id may be another process's once it has ended.
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  };
  const read = Promise.allSettled([
    readBytes(child.stdout.getReader(), options.onOutput),
    readBytes(child.stderr.getReader(), options.onMessages),
  ]);
  // Its exit, not the end of its output: Bun may miss that end, and a descendant may hold the pipe.
  void child.exited.then(async (code) => {
    if (typeof lifeline === "number") closeSync(lifeline);
    await Promise.race([read, Bun.sleep(LAST_OUTPUT_MS)]);
    options.onEnd(code);
  });
  return {
    write(text) {
      write(child.stdin, text).catch(kill);
    },
    processorMs: () => parseStat(readProc(`${child.pid}/stat`))?.processorMs ?? null,
    kill,
    ended: child.exited.then(() => Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000),
  };
}

async function readBytes(reader: Reader, onBytes: (bytes: Uint8Array) => void): Promise<void> {
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    if (value !== undefined) onBytes(value);
}

function startChild(argv: readonly string[]) {
  try {
    return Bun.spawn([...argv], {
      stdio: ["pipe", "pipe", "pipe", "pipe"],
      // A Ctrl-C in our terminal must not reach it: this process ends it.
      detached: true,
    });
  } catch (cause) {
    throw notStarted(argv, cause);
  }
}

/** Bun throws or rejects, by when the reader closed its end; both become a rejection. */
async function write(sink: Bun.FileSink, text: string): Promise<void> {
  await sink.write(text);
  await sink.flush();
}

/** Turns chunks of output into whole lines. */
export function splitLines(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
}
