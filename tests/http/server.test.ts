import { afterEach, describe, expect, test } from "bun:test";
import net from "node:net";
import { join } from "node:path";
import { StartupError } from "../../src/errors.ts";
import { type HttpServer, startServer } from "../../src/http/server.ts";
import { imagesSlice } from "../../src/images/images.ts";
import { createLog } from "../../src/lib/log.ts";
import type { Handlers } from "../../src/slice.ts";
import { connect } from "../support/client.ts";
import { FakeClock } from "../support/clock.ts";
import { pane } from "../support/pane.ts";
import { service } from "../support/service.ts";
import { temporary } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const open: HttpServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop();
});

function listen(parts = service(), options: { idleSeconds?: number } = {}): number {
  const server = parts.listen(options);
  open.push(server);
  return server.port;
}
const log = createLog(() => {});
const nothing = { fetch: () => new Response(), socketFor: () => null, log };

/** Sends bytes as they are; resolves with everything received up to `enough`. */
async function raw(port: number, bytes: string, enough: RegExp): Promise<string> {
  const socket = net.connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => (received += chunk));
  socket.on("error", () => {});
  socket.write(bytes);
  try {
    return await until(() => (enough.test(received) ? received : null));
  } finally {
    socket.destroy();
  }
}

/** The request that opens a socket. */
function upgrade(path: string, ...headers: string[]): string {
  return [
    `GET ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...headers,
    "\r\n",
  ].join("\r\n");
}

describe("the server", () => {
  test("a taken port is refused in one line with the remedy", () => {
    const port = listen();
    const start = () => startServer({ host: "127.0.0.1", port, ...nothing });
    expect(start).toThrow(StartupError);
    expect(start).toThrow(
      `port ${port} on 127.0.0.1 is taken by another program: stop it, or choose another with --port`,
    );
  });

  test("an address of another host is refused", () => {
    const start = () => startServer({ host: "192.0.2.1", port: 0, ...nothing });
    expect(start).toThrow(/^cannot listen on 192\.0\.2\.1:0 .*check --host and --port$/);
  });

  test("a stop ends although clients are connected", async () => {
    const server = service().listen();
    const client = connect(server.port, "/ws");
    await client.take(2);
    const idle = net.connect(server.port, "127.0.0.1").on("error", () => {});
    await server.stop();
    await client.closed;
    idle.destroy();
    await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow();
  });
});

test("a stop lets a pending reply finish and cuts off a reply that never ends", async () => {
  const replies = {
    once: Promise.withResolvers<Response>(),
    never: new Promise<Response>(() => {}),
  };
  const requested = new Set<string>();
  const server = startServer({
    host: "127.0.0.1",
    port: 0,
    ...nothing,
    fetch(request) {
      const name = new URL(request.url).pathname.slice(1);
      requested.add(name);
      return name === "once" ? replies.once.promise : replies.never;
    },
  });
  const ask = (name: string) => fetch(`http://127.0.0.1:${server.port}/${name}`);
  const [once, never] = [ask("once").then((reply) => reply.text()), ask("never")];
  never.catch(() => {});
  await until(() => requested.size === 2 || null);
  const stopped = server.stop();
  replies.once.resolve(new Response("sent"));
  expect(await once).toBe("sent");
  await expect(never).rejects.toThrow();
  await stopped;
});

const head = "HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer";

test("an idle connection is closed unless its request is admitted and waits for a reply or still sends", async () => {
  const ended = Promise.withResolvers<void>();
  const routes: Handlers = {
    "POST /api/mux/create": async (c) => {
      await ended.promise;
      return c.text("at last");
    },
  };
  const clock = new FakeClock();
  const stateDir = await temporary("uploads");
  const images = imagesSlice({ stateDir, machineOf: () => null, clock, log });
  const parts = service({ token: "secret", slices: [{ name: "slow", routes }, images] });
  // Bun checks timeouts every 4 s: a shorter one would end a client that still sends.
  const port = listen(parts, { idleSeconds: 5 });
  const body = "Content-Length: 2\r\n\r\n";
  const image = `POST /api/images ${head} secret\r\nContent-Type: image/png\r\n`;
  const good = raw(port, `POST /api/mux/create ${head} secret\r\n${body}{}`, /at last/);
  const begun = `${image}Transfer-Encoding: chunked\r\n\r\n8\r\n\x89PNG\r\n\x1a\n\r\n`;
  const slow = trickle(port, begun, "1\r\nx\r\n");
  await Promise.all(
    [
      `GET /api/state ${head} wrong\r\n\r\n`,
      `GET / ${head} secret\r\n\r\n`,
      `POST /api/mux/create ${head} secret\r\n${body}{`,
      `POST /api/mux/create ${head} wrong\r\n${body}{`,
      `${image}${body}\x89`,
    ].map((request) => closes(port, request)),
  );
  ended.resolve();
  expect(await good).toContain("at last");
  expect(await slow("0\r\n\r\n")).toContain("image/png");
});

/** Sends a piece again and again. Call the result to send the last one and get the reply. */
function trickle(port: number, start: string, piece: string): (last: string) => Promise<string> {
  const socket = net.connect(port, "127.0.0.1").on("error", () => {});
  const answer = Promise.withResolvers<string>();
  socket.on("data", (chunk) => answer.resolve(String(chunk)));
  socket.on("close", () => answer.resolve("closed without an answer"));
  socket.write(start, "latin1");
  const pieces = setInterval(() => socket.write(piece), 250);
  return async (last) => {
    clearInterval(pieces);
    socket.write(last);
    const reply = await answer.promise;
    socket.destroy();
    return reply;
  };
}

/** Sends these bytes and nothing more; resolves when the server closes the connection. */
async function closes(port: number, bytes: string): Promise<void> {
  const socket = net.connect(port, "127.0.0.1");
  const closed = Promise.withResolvers<void>();
  socket.on("error", () => {}).on("close", () => closed.resolve());
  socket.resume().write(bytes, "latin1");
  await closed.promise;
}

describe("the server on the wire", () => {
  test("an upgrade to another protocol than WebSocket gets 426", async () => {
    const request =
      "GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
    expect(await raw(listen(), request, /\}/)).toStartWith("HTTP/1.1 426 ");
  });

  test("a bad token closes a socket with 1008, also after too many bad tokens", async () => {
    const parts = service({ token: "secret" });
    const port = listen(parts);
    expect(await raw(port, upgrade("/ws?token=secret"), /hello/)).toStartWith("HTTP/1.1 101 ");
    for (let i = 0; i < 60; i++)
      await parts.request("/api/state", { headers: { authorization: "Bearer no" } });
    expect(await connect(port, "/ws?token=no").closed).toEqual({
      code: 1008,
      reason: "too many bad tokens",
    });
    expect(await raw(port, upgrade("/ws?token=secret"), /hello/)).toStartWith("HTTP/1.1 101 ");
    expect(parts.log.join("")).not.toContain("error");
    expect(parts.log.join("")).not.toContain("secret");
  });

  test("frames are deflated only for a delta client that can inflate", async () => {
    const parts = service();
    const lines = Array.from({ length: 2000 }, (_, i) => `module ${i} of the project`);
    const waiting = pane({ status: "needs_input", question: "Go on?", lines });
    parts.hub.publish([waiting]);
    const port = listen(parts);
    const able = "Sec-WebSocket-Extensions: permessage-deflate";
    const last = /module 1999/;
    await raw(port, upgrade("/ws?mode=delta"), last);
    await raw(port, upgrade("/ws", able), last);

    let passes = 0;
    const passing = setInterval(() => parts.hub.publish([{ ...waiting, title: `${++passes}` }]));
    const deflated = await raw(port, upgrade("/ws?mode=delta", able), /"type":"delta"/);
    clearInterval(passing);
    expect(deflated).not.toMatch(last);
    expect(deflated.length).toBeLessThan(JSON.stringify(lines).length / 3);
  });

  test("an invalid host header is a bad request", async () => {
    for (const host of ["a b", "[", "127.0.0.1:99999"]) {
      const request = `GET /ws?token=x HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
      const reply = await raw(listen(), request, /\}/);
      expect(reply).toStartWith("HTTP/1.1 400 ");
      expect(reply).toEndWith('{"detail":"bad request"}');
    }
  });

  test("an unexpected error in the server shows nothing and logs no token", async () => {
    // The test uses another process, because Bun writes to stderr past the log.
    const script = `
      import { startServer } from "${join(import.meta.dir, "../../src/http/server.ts")}";
      import { createLog } from "${join(import.meta.dir, "../../src/lib/log.ts")}";
      const fail = () => { throw new Error("broken"); };
      const server = startServer({ host: "127.0.0.1", port: 0, fetch: fail, socketFor: fail, log: createLog() });
      const reply = await fetch("http://127.0.0.1:" + server.port + "/ws?token=very-secret");
      console.log(reply.status, await reply.text());
      await server.stop();`;
    const child = Bun.spawnSync([process.execPath, "-e", script], { timeout: 60_000 });
    expect(child.stdout.toString().trim()).toBe('500 {"detail":"internal error"}');
    expect(child.stderr.toString()).toContain("Error: broken");
    expect(child.stderr.toString()).not.toContain("very-secret");
  });

  test("a body that never ends is cut at the limit", async () => {
    const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
    const head = "POST /api/star HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    const reply = await raw(listen(), head + chunk.repeat(17), /\}/);
    expect(reply).toStartWith("HTTP/1.1 413 ");
    expect(reply).toContain('{"detail":"the body exceeds the 1 MiB limit"}');
  });

  test.each([2 ** 21, 2 ** 40])(
    "a declared body of %i bytes is refused before it arrives",
    async (bytes) => {
      const head = `POST /api/star HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${bytes}\r\n\r\n`;
      const reply = await raw(listen(), head, /\r\n\r\n.*\}/);
      expect(reply).toStartWith("HTTP/1.1 413 ");
      expect(reply).toEndWith('{"detail":"the body exceeds the 1 MiB limit"}');
    },
  );
});
