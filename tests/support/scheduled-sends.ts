import { type ScheduledSendsDeps, ScheduledSends } from "../../src/input/scheduled-sends.ts";
import { createLog } from "../../src/lib/log.ts";
import { FakeClock } from "./clock.ts";

/** A file that a test can look into, and break. */
export class MemoryFile {
  content: unknown = null;
  fault: Error | null = null;

  async read(): Promise<unknown> {
    return structuredClone(this.content);
  }

  async write(value: unknown): Promise<void> {
    if (this.fault) throw this.fault;
    this.content = structuredClone(value);
  }

  async quarantine(): Promise<void> {}
}

export function memoryScheduledSends(
  deps: Partial<ScheduledSendsDeps> & Pick<ScheduledSendsDeps, "queue">,
): ScheduledSends {
  return new ScheduledSends({
    file: new MemoryFile(),
    changed: () => {},
    random: () => 0.5,
    clock: new FakeClock(),
    log: createLog(() => {}),
    ...deps,
  });
}
