import { describe, expect, test } from "bun:test";
import { LanServers } from "../../src/http/server.ts";

function lan(host = "127.0.0.1") {
  const log: string[] = [];
  const open = new Set<string>();
  let addresses: readonly string[] = [];
  let isTaken = false;
  const servers = new LanServers({
    bound: () => ({ host, port: 8787 }),
    addresses: () => addresses,
    interfaces: () => ["192.168.1.5", "fd00::5"],
    start(at) {
      if (isTaken) throw new Error("the port is taken");
      open.add(at);
      return { port: 8787, stop: async () => void open.delete(at) };
    },
    log: { info: (line) => void log.push(line), warn: (line) => void log.push(line) },
  });
  return {
    log,
    open: () => [...open],
    take: () => void (isTaken = true),
    stop: () => servers.stop(),
    follow(...next: string[]) {
      addresses = next;
      servers.follow();
    },
  };
}

describe("the servers on the local network", () => {
  test("there is a server for each accepted address of this machine, while it is accepted", () => {
    const one = lan();
    one.follow("https://box.example", "http://192.168.1.5:8787");
    one.follow("http://192.168.1.5:8787", "http://[fd00::5]:8787");
    expect(one.open()).toEqual(["192.168.1.5", "fd00::5"]);
    one.follow("http://[fd00::5]:8787");
    expect(one.open()).toEqual(["fd00::5"]);
    one.follow();
    expect(one.open()).toEqual([]);
  });

  test.each([
    "http://192.168.1.9:8787",
    "http://192.168.1.5:80",
    "https://192.168.1.5:8787",
    "http://127.0.0.1:8787",
  ])("there is no server for %s", (address) => {
    const one = lan();
    one.follow(address);
    expect(one.open()).toEqual([]);
  });

  test.each(["0.0.0.0", "::", "192.168.1.5"])(
    "there is no second server if the host is %s",
    (host) => {
      const one = lan(host);
      one.follow("http://192.168.1.5:8787");
      expect(one.open()).toEqual([]);
    },
  );

  test("a failure to listen is logged", () => {
    const one = lan();
    one.take();
    one.follow("http://192.168.1.5:8787");
    expect(one.log.join()).toContain("cannot listen at 192.168.1.5");
  });

  test("a stop ends them", async () => {
    const one = lan();
    one.follow("http://192.168.1.5:8787");
    await one.stop();
    expect(one.open()).toEqual([]);
  });
});
