import { closeSync } from "node:fs";
import { parseStat, readProc } from "./procfs.ts";
import { killGroup, notStarted, type Reader } from "./run.ts";

export interface LineProcess {
  /** A companion that does not read any more is ended: `onEnd` is called, nothing is thrown here. */
  send(line: string): void;
  /** Milliseconds of processor time so far, to 10 ms; null where the system does not tell. */
  processorMs(): number | null;
  /** Kills it, whatever it is doing; answers the milliseconds of processor time that it used. */
  end(): Promise<number>;
}

interface CompanionOptions {
  onLine: (line: string) => void;
  /** It has ended, by itself or by `end`; its last lines may be lost. */
  onEnd: () => void;
}

/** @throws RunError when it cannot be started. */
export function startCompanion(argv: readonly string[], options: CompanionOptions): LineProcess {
  const child = startChild(argv, "ignore");
  child.unref();
  const end = () => {
    // The process id of one that has ended may be another's by now.
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  };
  // A read that fails means that it ended; half a line is dropped.
  readLines(child.stdout.getReader(), options.onLine).catch(() => undefined);
  // Its exit, not the end of its output: Bun was seen to miss that, and another may hold the pipe.
  void child.exited.then(options.onEnd);
  return {
    send(line) {
      write(child.stdin, `${line}\n`).catch(end);
    },
    processorMs: () => parseStat(readProc(`${child.pid}/stat`))?.processorMs ?? null,
    async end() {
      end();
      await child.exited;
      return Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
    },
  };
}

/** A long-running program of somebody else's, whose answers are bytes. */
export interface PipedProgram {
  /** Handed over at once; a program that does not read any more is ended. */
  write(text: string): void;
  /** Kills it and its descendants; `onEnd` is called all the same. */
  kill(): void;
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
  const child = startChild(["/bin/sh", "-c", LIFELINE, "sh", ...argv], "pipe", "pipe");
  const lifeline = child.stdio[3];
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
  };
  const read = Promise.allSettled([
    readBytes(child.stdout.getReader(), options.onOutput),
    readBytes(child.stderr.getReader(), options.onMessages),
  ]);
  void child.exited.then(async (code) => {
    if (typeof lifeline === "number") closeSync(lifeline);
    await Promise.race([read, Bun.sleep(LAST_WORDS_MS)]);
    options.onEnd(code);
  });
  return {
    write(text) {
      write(child.stdin, text).catch(kill);
    },
    kill,
  };
}

async function readBytes(reader: Reader, onBytes: (bytes: Uint8Array) => void): Promise<void> {
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    if (value !== undefined) onBytes(value);
}

function startChild<Messages extends "ignore" | "pipe">(
  argv: readonly string[],
  stderr: Messages,
  ...more: readonly "pipe"[]
) {
  try {
    return Bun.spawn([...argv], {
      stdio: ["pipe", "pipe", stderr, ...more],
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

async function readLines(reader: Reader, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  }
}
