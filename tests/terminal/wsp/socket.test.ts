import { expect, onTestFinished, test } from "bun:test";
import { lstatSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { converse } from "../../../src/terminal/wsp/socket.ts";
import { temporary } from "../../support/temporary.ts";

/** More than any system takes in one write: some take 8 KiB, others 200. */
const LONG_TEXT = "y".repeat(1024 * 1024);

test("a request that is larger than one write to the socket arrives whole", async () => {
  const path = join(await temporary("socket"), "api.sock");
  const arrived = Promise.withResolvers<string>();
  const server = createServer((client) => {
    let received = "";
    client.on("data", (bytes) => {
      received += bytes.toString();
      if (!received.endsWith("\n")) return;
      arrived.resolve(received);
      client.end("taken\n");
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await chmod(path, 0o600);
  const { dev, ino, ctimeMs } = lstatSync(path);
  const answer = await new Promise<string>((resolve, reject) => {
    const listener = { line: resolve, failed: reject };
    const close = converse({ path, mark: `${dev}:${ino}:${ctimeMs}` }, LONG_TEXT, listener);
    onTestFinished(close);
  });
  expect(answer).toBe("taken");
  expect(await arrived.promise).toBe(`${LONG_TEXT}\n`);
});
