import { closeSync } from "node:fs";
import { parseStat, readProc } from "./procfs.ts";
import { killGroup, notStarted, type Reader } from "./run.ts";

/** A long-running program, whose answers are bytes. */
export interface PipedProgram {
  /** Handed over at once; a program that does not read any more is ended. */
  write(text: string): void;
  /** Milliseconds of processor time so far, to 10 ms; null where the system does not tell. */
  processorMs(): number | null;
  /** Kills it and its descendants; `onEnd` is called all the same. */
  kill(): void;
  /** Once it has ended: the milliseconds of processor time that it used. */
  readonly ended: Promise<number>;
}

interface PipedOptions {
  onOutput: (bytes: Uint8Array) => void;
  onMessages: (bytes: Uint8Array) => void;
  /** Everything that it had written by then was handed over. */
  onEnd: (code: number) => void;
}

/**
 * Runs a program, and ends its process group as soon as nobody holds the pipe on descriptor 3 any
 * more: also where this process was killed, and whatever the program waits for.
 */
const LIFELINE = '{ read -r _; kill -9 0; } <&3 >/dev/null 2>&1 & exec 3<&-; exec "$@"';

/** For what a killed program left in its pipes; a descendant that holds them is not waited for. */
const LAST_WORDS_MS = 200;

/** @throws RunError when it cannot be started. */
export function spawnPiped(argv: readonly string[], options: PipedOptions): PipedProgram {
  if (Bun.which(argv[0] ?? "") === null) throw notStarted(argv, new Error("it is not in PATH"));
  const child = startChild(["/bin/sh", "-c", LIFELINE, "sh", ...argv]);
  const lifeline = child.stdio[3];
  const kill = () => {
    // The process id of one that has ended may be another's by now.
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  };
  const read = Promise.allSettled([
    readBytes(child.stdout.getReader(), options.onOutput),
    readBytes(child.stderr.getReader(), options.onMessages),
  ]);
  // Its exit, not the end of its output: Bun was seen to miss that, and another may hold the pipe.
  void child.exited.then(async (code) => {
    if (typeof lifeline === "number") closeSync(lifeline);
    await Promise.race([read, Bun.sleep(LAST_WORDS_MS)]);
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
      // A Ctrl-C in the terminal goes to our process group: this process is ended by us instead.
      detached: true,
    });
  } catch (cause) {
    throw notStarted(argv, cause);
  }
}

/** Bun throws or rejects, depending on when the reader closed its end; both become a rejection. */
async function write(sink: Bun.FileSink, text: string): Promise<void> {
  await sink.write(text);
  await sink.flush();
}

/** Takes what a program writes, and hands on whole lines of it. */
export function inLines(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = "";
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  };
}
