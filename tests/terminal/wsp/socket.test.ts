import { expect, onTestFinished, test } from "bun:test";
import { lstatSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { converse } from "../../../src/terminal/wsp/socket.ts";
import { temporary } from "../../support/temporary.ts";

/** More than any system takes in one write: some take 8 KiB, others 200. */
const LONG_TEXT = "y".repeat(1024 * 1024);

test("a request that does not fit into the socket at once arrives whole", async () => {
  const path = join(await temporary("socket"), "api.sock");
  const arrived = Promise.withResolvers<string>();
  const server = createServer((client) => {
    let heard = "";
    client.on("data", (bytes) => {
      heard += bytes.toString();
      if (!heard.endsWith("\n")) return;
      arrived.resolve(heard);
      client.end("taken\n");
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await chmod(path, 0o600);
  const { dev, ino, ctimeMs } = lstatSync(path);
  const answer = await new Promise<string>((resolve, reject) => {
    const told = { line: resolve, failed: reject };
    const close = converse({ path, mark: `${dev}:${ino}:${ctimeMs}` }, LONG_TEXT, told);
    onTestFinished(close);
  });
  expect(answer).toBe("taken");
  expect(await arrived.promise).toBe(`${LONG_TEXT}\n`);
});
