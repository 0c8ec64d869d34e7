import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { startLiveService } from "../support/live-service.ts";
import { PrivateTmux } from "../support/tmux.ts";

/** Private files of the previous release, by name. */
const WRITTEN = z
  .record(z.string(), z.unknown())
  .parse(await Bun.file(new URL("../fixtures/stores/files.json", import.meta.url)).json());
/** Token of the phone that was let in under that release. */
const PHONE_TOKEN = "K_qpUZsvmvgiR6GzARQdyMZHiv0J3Ic7KwxATO_vTu0";

test("a service reads the files that the previous release wrote, without a warning", async () => {
  const folder = await mkdtemp(join(tmpdir(), "panewatch-written-"));
  const tmux = await PrivateTmux.start();
  for (const [name, value] of Object.entries(WRITTEN))
    await Bun.write(join(folder, name), JSON.stringify(value));
  const configPath = join(folder, "panewatch.yaml");
  await Bun.write(configPath, "");
  const service = await startLiveService({ tmux, configPath });
  const ask = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${PHONE_TOKEN}` };
    const reply = await fetch(`${service.url}${path}`, { headers });
    return { status: reply.status, ...z.record(z.string(), z.unknown()).parse(await reply.json()) };
  };
  try {
    expect(await ask("/api/config")).toMatchObject({
      ...{ status: 200, poll_interval: 0.7, capture_lines: 150, error_patterns: ["^BOOM"] },
      experimental_agent_workspace_enabled: true,
      overrides: [{ target: "shop:4.0", star: true }],
      _info: { push: { devices: 1 } },
    });
    expect(await ask("/api/phone")).toMatchObject({
      ...{ address: "https://shop.example:8443", token: "kept" },
      phones: [{ name: "Kitchen phone", paired_at: 1_795_543_098.827 }],
    });
    expect(await ask("/api/queue")).toMatchObject({
      lists: [
        {
          ...{ id: "%4", name: "orders" },
          messages: [
            { text: "Then run the tests of the orders", state: "waiting" },
            { text: "And write the changelog", state: "waiting" },
          ],
        },
      ],
    });
    expect(await ask("/api/answered")).toMatchObject({
      questions: [{ command: "npm run lint", count: 12 }],
    });
    expect(await ask("/api/grants/self")).toMatchObject({ name: "Kitchen phone", scope: "type" });
    expect(service.log.filter((line) => /\b(warn|error)\b/.test(line))).toEqual([]);
  } finally {
    await service.stop();
    await tmux.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
