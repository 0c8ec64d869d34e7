import { expect, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import { RunError } from "../../src/lib/run.ts";
import { hostNumberOf } from "../../src/terminal/host-ids.ts";
import { HostProvider } from "../../src/terminal/host-provider.ts";
import { FakeProvider } from "../support/fake-provider.ts";

const { signal } = new AbortController();

function stage(number = 2) {
  const inner = new FakeProvider();
  const link = { isThere: true };
  const provider = new HostProvider({
    inner,
    name: "gpu-1",
    number,
    link: { start: () => {}, stop: () => {}, isLive: () => link.isThere, claims: async () => true },
  });
  const list = async () => (await provider.list(signal)).panes;
  return { inner, link, provider, list };
}

test("a pane has an id, a target and places that no other machine's has", async () => {
  const { inner, list } = stage();
  inner.open({ id: "%7", session: "main" });
  const [pane] = await list();
  expect(pane).toMatchObject({ id: "%2000007", target: "gpu-1:main:1.0" });
  expect(pane?.hierarchy.map(({ id, label }) => [id, label])).toEqual([
    ["gpu-1:$0", "main"],
    ["gpu-1:@1", "work"],
    ["%2000007", "0"],
  ]);
  expect(hostNumberOf(pane?.id ?? "")).toBe(2);
  // A second name for a pane would pass by what is locked and guarded under the first.
  expect(["%02000007", "%+2000007", "%2e6"].map(hostNumberOf)).toEqual([0, 0, 0]);
  expect(["%7", "h:abc", "cfg:%2000007", "%", "%999999"].map(hostNumberOf)).toEqual([
    0, 0, 0, 0, 0,
  ]);
});

test("the same pane is the same object in every listing", async () => {
  const { inner, provider } = stage();
  inner.open();
  const listing = await inner.list(signal);
  inner.list = async () => listing;
  const first = await provider.list(signal);
  expect((await provider.list(signal)).panes).toBe(first.panes);
});

test("a server that has given out a million ids shows none that could be another host's", async () => {
  const { inner, list } = stage();
  inner.open({ id: "%1000000" });
  inner.open({ id: "%999999" });
  expect((await list()).map(({ id }) => id)).toEqual(["%2999999"]);
});

test("what is sent goes to the pane of that machine, guarded by what it is called there", async () => {
  const { inner, provider, list } = stage();
  inner.open({ id: "%7" });
  const [pane] = await list();
  const [own] = (await inner.list(signal)).panes;
  const guard = { identity: pane?.identity ?? "", contains: ["sure?"] };
  expect(await provider.send("%2000007", [{ do: "key", key: "y" }], guard)).toBe("sent");
  expect(inner.sent).toMatchObject([
    { id: "%7", guard: { identity: own?.identity, contains: ["sure?"] } },
  ]);
  await expect(provider.send("%7", [], null)).rejects.toThrow("no pane of host 2");
  await expect(provider.send("%2000007", [], own ? { ...guard, ...own } : null)).rejects.toThrow(
    "not an identity here",
  );
});

test("while it is away nothing is sent or read, and the refusal names the host", async () => {
  const { inner, link, provider, list } = stage();
  inner.open({ id: "%7" });
  await list();
  link.isThere = false;
  const away = { kind: "conflict", detail: { reason: "host_away", host: "gpu-1" } };
  await expect(provider.send("%2000007", [], null)).rejects.toMatchObject(away);
  await expect(provider.look("%2000007", 200, signal)).rejects.toMatchObject(away);
  expect(inner.sent).toEqual([]);
});

test("one that goes while a pane is looked at is away", async () => {
  const { inner, provider, list } = stage();
  inner.open({ id: "%7" });
  await list();
  inner.look = async () => {
    throw new RunError("aborted", "the link ended before the answer was there");
  };
  const detail = { reason: "host_away", host: "gpu-1" };
  await expect(provider.look("%2000007", 200, signal)).rejects.toMatchObject({ detail });
});

test("one that went before anything was written is away, and one that may have sent is unknown", async () => {
  const { inner, link, provider, list } = stage();
  inner.open({ id: "%7" });
  await list();
  inner.send = async () => {
    link.isThere = false;
    throw new AppError("invalid", "the host is away");
  };
  const detail = { code: "host_away" };
  await expect(provider.send("%2000007", [], null)).rejects.toMatchObject({ detail });
  link.isThere = true;
  inner.send = async () => {
    link.isThere = false;
    return "unknown";
  };
  expect(await provider.send("%2000007", [], null)).toBe("unknown");
});

test("the processes are asked for along with the screen, not behind it", async () => {
  const { inner, provider, list } = stage();
  inner.open({ id: "%7", text: "screen" });
  await list();
  const gate = Promise.withResolvers<void>();
  inner.gate = gate.promise;
  const looked = provider.look("%2000007", 200, signal);
  expect(inner.calls.processes).toBe(1);
  gate.resolve();
  expect(await looked).toMatchObject({ pane: { id: "%2000007" }, capture: { text: "screen" } });
});
