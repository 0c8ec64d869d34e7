import { describe, expect, test } from "bun:test";
import { PeerUsers } from "../../src/http/server.ts";
import { interfaceAddresses } from "../../src/pairing/links.ts";
import { FakeClock } from "../support/clock.ts";
import { startLiveService } from "../support/live-service.ts";
import { PrivateTmux } from "../support/tmux.ts";

const OWN = process.getuid?.() ?? 0;
const [PORT, PEER_PORT] = [8787, 50_000];
const HEAD =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
const row = (local: string, remote: string, state: string, uid: number, inode: number) =>
  `   0: ${local} ${remote} ${state} 00000000:00000000 00:00000000 00000000 ${String(uid).padStart(5)}        0 ${inode} 1 0000000000000000 20 4 30 10 -1\n`;
const LISTENER = row("0100007F:2253", "00000000:0000", "0A", OWN, 1);
const client = (uid: number, inode = 9, state = "01") =>
  row("0100007F:C350", "0100007F:2253", state, uid, inode);

function users(tables: { v4?: string; v6?: string }, clock = new FakeClock()) {
  const reads: string[] = [];
  const of = new PeerUsers({
    clock,
    readTable(path) {
      reads.push(path);
      return (path.endsWith("6") ? tables.v6 : tables.v4) ?? "";
    },
  });
  const isOther = (address = "127.0.0.1", port = PEER_PORT) => of.isOther({ address, port }, PORT);
  return { isOther, reads };
}

describe("the user of a connection", () => {
  test.each([
    ["this user", OWN, false],
    ["root", 0, false],
    ["another user", OWN + 4242, true],
  ])("a connection of %s", (_, uid, expected) => {
    expect(users({ v4: HEAD + LISTENER + client(uid) }).isOther()).toBe(expected);
  });

  test("the user is read from the IPv4 or IPv6 table by the peer's address", () => {
    const mapped = row(
      "0000000000000000FFFF00000100007F:C350",
      "0000000000000000FFFF00000100007F:2253",
      ...(["01", OWN + 1, 5] as const),
    );
    expect(users({ v4: HEAD + LISTENER, v6: HEAD + mapped }).isOther("::ffff:127.0.0.1")).toBe(
      true,
    );
    const six = "00000000000000000000000001000000";
    const v6 = HEAD + row(`${six}:C350`, `${six}:2253`, "01", OWN + 1, 5);
    expect(users({ v6 }).isOther("::1")).toBe(true);
  });

  test("the user is not read from the server's end or another connection", () => {
    const own = row("0100007F:2253", "0100007F:C350", "01", OWN + 1, 4);
    const other = row("0200007F:C350", "0100007F:2253", "01", OWN + 1, 5);
    expect(users({ v4: HEAD + LISTENER + own + other + client(OWN) }).isOther()).toBe(false);
  });

  test("a connection that is closed or not listed is refused", () => {
    expect(users({ v4: HEAD + LISTENER + client(0, 0, "04") }).isOther()).toBe(true);
    expect(users({ v4: HEAD + LISTENER }).isOther()).toBe(true);
  });

  test("the user is also read where the peer has another address of this machine", () => {
    // A program chooses the address that it connects from: curl --interface.
    const local = row("020200C0:C350", "0100007F:2253", "01", OWN + 1, 5);
    expect(users({ v4: HEAD + LISTENER + local }).isOther("192.0.2.2")).toBe(true);
    const own = row("020200C0:C350", "0100007F:2253", "01", OWN, 5);
    expect(users({ v4: HEAD + LISTENER + own }).isOther("192.0.2.2")).toBe(false);
    const six = (address: string, uid: number) =>
      HEAD + row(`${address}:C350`, "00000000000000000000000001000000:2253", "01", uid, 5);
    const short = six("000000FD000000000000000002000000", OWN + 1);
    expect(users({ v4: HEAD + LISTENER, v6: short }).isOther("fd00::2")).toBe(true);
    const long = six("010000FD03000200050004000A000600", OWN);
    expect(users({ v4: HEAD + LISTENER, v6: long }).isOther("fd00:1:2:3:4:5:6:a")).toBe(false);
  });

  test("the user is not checked without a kernel table", () => {
    expect(users({}).isOther()).toBe(false);
    // The table lacks this service's listener: one row is another listener, one a connection.
    const listener = row("0100007F:2254", "00000000:0000", "0A", OWN, 1);
    const end = row("0100007F:2253", "0100007F:C351", "01", OWN, 2);
    expect(users({ v4: HEAD + listener + end }).isOther()).toBe(false);
  });

  test("the result is cached for a second", () => {
    const clock = new FakeClock();
    const tables = { v4: HEAD + LISTENER + client(OWN) };
    const { isOther, reads } = users(tables, clock);
    expect([isOther(), isOther()]).toEqual([false, false]);
    expect(reads).toEqual(["net/tcp"]);
    tables.v4 = HEAD + LISTENER + client(OWN + 1);
    clock.advance(1);
    expect(isOther()).toBe(true);
  });
});

const asNobody = ["setpriv", "--reuid=65534", "--clear-groups"];
const canBeAnother = OWN === 0 && process.platform === "linux" && Bun.which("setpriv") !== null;

test.if(canBeAnother)("without a token another user of this machine is refused", async () => {
  const tmux = await PrivateTmux.start();
  const service = await startLiveService({ tmux });
  const ask = async (argv: readonly string[], path: string, from: string[] = []) => {
    const curl = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", `${service.url}${path}`];
    return Bun.$`${[...argv, ...curl, ...from]}`.text();
  };
  try {
    expect(await ask([], "/api/state")).toBe("200");
    expect(await ask(asNobody, "/api/state")).toBe("403");
    const [address] = interfaceAddresses().filter((each) => !each.includes(":"));
    if (address !== undefined)
      expect(await ask(asNobody, "/api/state", ["--interface", address])).toBe("403");
    expect(service.log.join("")).toContain("other users of this machine are refused");
  } finally {
    await service.stop();
    await tmux.stop();
  }
});
