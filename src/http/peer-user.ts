import type { Clock } from "../lib/clock.ts";
import { isLoopback } from "../lib/loopback.ts";
import { readProc } from "../lib/procfs.ts";

const TABLES = ["net/tcp", "net/tcp6"];
const LISTENING = "0A";
const ANSWER_SECONDS = 1;

export interface Peer {
  address: string;
  port: number;
}

/**
 * Whether a connection over loopback is of another user of this machine, root apart; only Linux tells.
 * Nothing names a connection but its port, which may be another user's once it is free: an answer holds
 * for the second in which the kernel gives no port of a closed connection to anybody.
 */
export class PeerUsers {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #readTable: (path: string) => string | null;
  #answers = new Map<string, boolean>();
  #endsAt = 0;

  constructor(deps: {
    clock: Pick<Clock, "monotonic">;
    readTable?: (path: string) => string | null;
  }) {
    this.#clock = deps.clock;
    this.#readTable = deps.readTable ?? readProc;
  }

  isOther({ address, port }: Peer, ownPort: number): boolean {
    const host = address.replace(/^::ffff:/i, "");
    if (!isLoopback(host)) return false;
    const now = this.#clock.monotonic();
    if (now >= this.#endsAt) {
      this.#answers = new Map();
      this.#endsAt = now + ANSWER_SECONDS;
    }
    const key = `${host} ${port}`;
    const isOther = this.#answers.get(key) ?? this.#look({ address: host, port }, ownPort);
    this.#answers.set(key, isOther);
    return isOther;
  }

  #look({ address, port }: Peer, ownPort: number): boolean {
    const tables = TABLES.map((path) => this.#readTable(path)).join("\n");
    const owner = ownerOf(tables, addressesOf(address), port, ownPort);
    if (owner !== null) return owner !== 0 && owner !== process.getuid?.();
    // Whoever has let go of the connection has no name any more. Where the kernel does not even list
    // what this service listens at, it tells nothing of anybody.
    return hasListener(tables, ownPort);
  }
}

/** The user whose socket it is; null where none is listed, or nobody has it any more. */
function ownerOf(
  tables: string,
  addresses: readonly string[],
  port: number,
  ownPort: number,
): number | null {
  const locals = addresses.map((one) => `${one}:${hex(port)}`);
  for (const [, local = "", remote = "", , uid = "", inode = ""] of rowsOf(tables))
    if (locals.includes(local) && remote.endsWith(`:${hex(ownPort)}`) && inode !== "0")
      return Number(uid);
  return null;
}

function hasListener(tables: string, ownPort: number): boolean {
  return rowsOf(tables).some(
    ([, local = "", , state]) => state === LISTENING && local.endsWith(`:${hex(ownPort)}`),
  );
}

const ROW = /^ *\d+: (\S+) (\S+) (\S\S) \S+ \S+ \S+ +(\d+) +\d+ (\d+)/gm;

const rowsOf = (tables: string): RegExpMatchArray[] => [...tables.matchAll(ROW)];

/** As the tables write it: words of four bytes, each in the order of the machine. */
function addressesOf(address: string): string[] {
  if (address === "::1") return ["00000000000000000000000001000000"];
  const bytes = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0"));
  const word = bytes.toReversed().join("").toUpperCase();
  return [word, `0000000000000000FFFF0000${word}`];
}

const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");
