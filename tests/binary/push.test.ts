import { afterAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ApnsServer } from "../support/apns-server.ts";
import { OwnAuthority, signingKey } from "../support/push-keys.ts";
import { temporary } from "../support/temporary.ts";
import { addressOf, EXECUTABLE } from "../support/child.ts";

const TOKENS = ["ab".repeat(32), "cd".repeat(32)];

const folder = await temporary("binary-push", afterAll);
const authority = await OwnAuthority.open();
afterAll(() => authority.close());

/** Starts the executable against this push service and sends a test to each of two devices. */
async function testThrough(url: string, env: Record<string, string>): Promise<unknown[]> {
  const key = join(folder, "key.p8");
  await writeFile(key, signingKey().pem);
  const config = join(folder, "config.yaml");
  const lines = [
    "push:",
    `  push_key_path: ${key}`,
    "  push_key_id: KEY",
    "  push_team_id: TEAM",
    "  push_topic: com.example.app",
    `  apns_url: ${url}`,
  ];
  await writeFile(config, `${lines.join("\n")}\n`);
  const child = Bun.spawn([EXECUTABLE, "--port", "0", "--config", config], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: folder,
      TMUX_TMPDIR: folder,
      TMPDIR: folder,
      ...env,
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const service = await addressOf(child.stdout);
    const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const init = body === undefined ? {} : { body: JSON.stringify(body) };
      return await (await fetch(`${service}${path}`, { method, ...init })).json();
    };
    for (const token of TOKENS) await call("POST", "/api/push/register", { token, name: "phone" });
    const listed = await call("GET", "/api/push/devices");
    const { devices } = listed as { devices: { id: string }[] };
    const answers: unknown[] = [];
    for (const { id } of devices) answers.push(await call("POST", `/api/push/devices/${id}/test`));
    return answers;
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

const SENT = { ok: true, detail: "200" };

test("the executable reaches a push service in cleartext on loopback, and reconnects after GOAWAY", async () => {
  const apns = await ApnsServer.start();
  apns.replies.push("goaway");
  expect(await testThrough(apns.url, {})).toMatchObject([SENT, SENT]);
  const seen = apns.received.map(({ path, connection }) => [path, connection]);
  expect(seen).toEqual(TOKENS.map((token, index) => [`/3/device/${token}`, index + 1]));
  await apns.stop();
});

test("the executable reaches a push service over TLS with an authority of one's own", async () => {
  const apns = await ApnsServer.start(authority);
  const env = { NODE_EXTRA_CA_CERTS: authority.authorityFile };
  expect(await testThrough(apns.url, env)).toMatchObject([SENT, SENT]);
  expect(apns.connections).toBe(1);
  await apns.stop();
});

test("the executable sends nothing to a push service whose certificate does not verify", async () => {
  const apns = await ApnsServer.start(authority);
  const refused = { ok: false, detail: "its certificate cannot be verified" };
  expect(await testThrough(apns.url, {})).toMatchObject([refused, refused]);
  expect(apns.received).toEqual([]);
  await apns.stop();
});
