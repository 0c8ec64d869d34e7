import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { AppError } from "../../../src/errors.ts";
import { createLog } from "../../../src/lib/log.ts";
import { RunError } from "../../../src/lib/run.ts";
import { MuxClient } from "../../../src/terminal/mux/client.ts";
import { MuxCreation } from "../../../src/terminal/mux/creation.ts";
import { NO_PANES, parseListing } from "../../../src/terminal/mux/parse.ts";
import { MuxProvider } from "../../../src/terminal/mux/provider.ts";
import { machineNumberOf, Namespace, THIS_MACHINE } from "../../../src/terminal/namespace.ts";
import { PrivateTmux } from "../../support/tmux.ts";
import { until } from "../../support/until.ts";

const GPU = new Namespace(2, "gpu-1");
const { signal } = new AbortController();

test("a pane id names its machine, in one spelling alone", () => {
  expect(["%2000007", "%7", "%999999"].map(machineNumberOf)).toEqual([2, 0, 0]);
  // A second name for a pane would bypass the lock and the guard of the first.
  expect(["%02000007", "%+2000007", "%2e6", "h:abc", "%"].map(machineNumberOf)).toEqual([
    0, 0, 0, 0, 0,
  ]);
  expect([GPU.id("%7"), GPU.ownId("%2000007")]).toEqual(["%2000007", "%7"]);
  expect(() => GPU.ownId("%7")).toThrow("no pane of machine 2");
  expect(GPU.ownIdentity(GPU.identity("1:2/%7/3"))).toBe("1:2/%7/3");
  for (const space of [GPU, THIS_MACHINE])
    expect(() => space.ownIdentity("1!1:2/%7/3")).toThrow("is not watched any more");
});

test("panes of this machine keep the ids, identities and places of tmux", () => {
  for (const own of ["%7", "%1000007"]) {
    expect([THIS_MACHINE.id(own), THIS_MACHINE.ownId(own), THIS_MACHINE.has(own)]).toEqual([
      own,
      own,
      true,
    ]);
  }
  expect(THIS_MACHINE.identity("1:2/%7/3")).toBe("1:2/%7/3");
  expect(THIS_MACHINE.place("main:1.0")).toBe("main:1.0");
});

describe("a remote machine's tmux", () => {
  let tmux: PrivateTmux;
  let client: MuxClient;
  let provider: MuxProvider;
  let own: string;
  let requests: string[];
  const link = { isThere: true };

  beforeEach(async () => {
    tmux = await PrivateTmux.idle();
    own = await tmux.quiet("work", "main");
    client = await MuxClient.open({ binary: "tmux", socket: tmux.socket });
    link.isThere = true;
    requests = [];
    provider = new MuxProvider({
      client,
      processes: {
        async processes() {
          requests.push("processes");
          return [];
        },
      },
      namespace: GPU,
      link: {
        start: () => {},
        stop: () => {},
        isLive: () => link.isThere,
        away: (cause) => new AppError("conflict", "away", { host: "gpu-1" }, { cause }),
        claims: async () => true,
      },
      disableAutoRename: false,
      log: createLog(() => {}),
    });
  });
  afterEach(() => tmux.stop());

  const away = { kind: "conflict", detail: { host: "gpu-1" } };
  const listed = async () => {
    const [pane] = await provider.list(signal);
    if (!pane) throw new Error("no pane is listed");
    return pane;
  };

  test("has ids, targets and places that differ from those of every other machine", async () => {
    const pane = await listed();
    expect(pane).toMatchObject({ id: GPU.id(own), target: "gpu-1:main:0.0" });
    expect(pane.hierarchy.map(({ id }) => id)).toEqual(["gpu-1:$0", "gpu-1:@0", GPU.id(own)]);
    expect(pane.identity).toStartWith("2!");
  });

  test("is sent to under its own ids, with the guard checked there", async () => {
    const { id, identity } = await listed();
    const guard = { identity, contains: [] };
    expect(await provider.send(id, [{ do: "text", text: "y" }], guard)).toBe("sent");
    const other = { ...guard, identity: `${identity}0` };
    expect(await provider.send(id, [{ do: "text", text: "y" }], other)).toBe("refused");
    await expect(provider.send(own, [], null)).rejects.toThrow("no pane of machine 2");
  });

  test("creates, lists, marks and closes panes under the ids of its namespace", async () => {
    const creation = new MuxCreation(client, GPU);
    const place = { type: "pane", paneId: GPU.id(own), split: "stacked", sizePercent: 50 } as const;
    const created = await creation.create(place, tmux.folder, ["/bin/sleep", "600"]);
    expect(created.target).toBe("gpu-1:main:0.1");
    expect((await provider.list(signal)).map(({ id }) => id)).toContain(created.id);
    expect((await creation.list()).panes).toEqual(new Set([GPU.id(own), created.id]));
    expect(await creation.look(created.id)).toMatchObject({ pid: created.pid });
    expect(await creation.close(created, false)).toBe(false);
    expect(await creation.markCreated(created)).toBe(true);
    expect(await creation.close(created, false)).toBe(true);
    await until(async () => (await creation.look(created.id)) === null);
  });

  test("is neither read nor sent to while its link is away, and the refusal names the machine", async () => {
    const { id } = await listed();
    link.isThere = false;
    await expect(provider.send(id, [], null)).rejects.toMatchObject(away);
    await expect(provider.look(id, 200, signal)).rejects.toMatchObject(away);
  });

  test("gives the refusal of a machine away when its link ends during a look", async () => {
    const { id } = await listed();
    client.run = async () => {
      throw new RunError("aborted", "the link ended before the answer was there");
    };
    await expect(provider.look(id, 200, signal)).rejects.toMatchObject(away);
  });

  test("is away when the link ends before a send was written; a send that may have been written is unknown", async () => {
    const { id } = await listed();
    const goes = (kind: "not_found" | "aborted") => async () => {
      link.isThere = false;
      throw new RunError(kind, "the link ended");
    };
    client.feed = goes("not_found");
    await expect(provider.send(id, [], null)).rejects.toMatchObject(away);
    link.isThere = true;
    client.feed = goes("aborted");
    expect(await provider.send(id, [], null)).toBe("unknown");
  });

  test("is asked for processes and screen at the same time", async () => {
    const { id } = await listed();
    const run = client.run.bind(client);
    const gate = Promise.withResolvers<void>();
    client.run = async (...args) => {
      await gate.promise;
      return run(...args);
    };
    const looking = provider.look(id, 200, signal);
    expect(requests).toEqual(["processes"]);
    gate.resolve();
    expect(await looking).toMatchObject({ pane: { id } });
  });

  test("has no pane whose own id lies in another machine's range", async () => {
    let output = "";
    const run = client.run.bind(client);
    client.run = async (...args) => {
      const result = await run(...args);
      output = new TextDecoder().decode(result.stdout);
      return result;
    };
    await listed();
    const mark = output.slice(0, 18);
    const far = output.replaceAll(` ${own} `, " %1000000 ");
    expect(parseListing(far, mark, NO_PANES, 0, GPU).panes).toEqual([]);
    expect(parseListing(output, mark, NO_PANES, 0, GPU).panes).toHaveLength(1);
  });
});
