import type { Credentials } from "./config/credentials.ts";
import type { Settings } from "./config/settings.ts";
import type { Clock } from "./lib/clock.ts";
import type { Log } from "./lib/log.ts";
import type { FoundMultiplexer } from "./multiplexer.ts";

export interface AppOptions {
  settings: Settings;
  /** Opened before anything is written, so that a refused start leaves no files. */
  multiplexer: FoundMultiplexer;
  stateDir: string;
  instanceId: string;
  /** Folder of the built web client. */
  assets: string;
  credentials: Credentials;
  /** The command line of a link to another machine; absent: ssh as this user has it. */
  linkCommand?: (ssh: string) => readonly string[];
  /** Command line of the pattern worker. */
  patternWorker: readonly string[];
  log: Log;
  clock: Clock;
}
