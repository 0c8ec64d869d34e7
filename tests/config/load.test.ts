import { beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CONFIG_KEYS, FIELDS } from "../../src/config/fields.ts";
import { loadState, readSources } from "../../src/config/load.ts";
import { type Layer, layerOf, resolve, sourceOf } from "../../src/config/resolve.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { forAll } from "../support/laws.ts";
import { temporary } from "../support/temporary.ts";

let home = "";
let lines: string[] = [];

beforeEach(async () => {
  home = await temporary("config-load");
  lines = [];
});

const log = createLog((line) => lines.push(line));

async function load({ yaml = null, flags = {} }: { yaml?: string | null; flags?: Layer } = {}) {
  const sources = await readSources({ configPath: yaml, flags, home, log });
  return await loadState(sources, { log, clock: systemClock });
}

test("without a config file the state lives in a private folder of the home", async () => {
  const { stateDir, instanceId } = await load();
  expect(stateDir).toBe(join(home, ".panewatch"));
  expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(stateDir, "server-instance-id"))).mode & 0o777).toBe(0o600);
  expect((await load()).instanceId).toBe(instanceId);
  expect(lines).toEqual([]);
});

test("with a config file the state lives beside it, and the file is never written", async () => {
  const path = join(home, "c.yaml");
  await writeFile(path, "poll_interval: 3 # mine\n");
  const { settings, stateDir } = await load({ yaml: path });
  expect(stateDir).toBe(home);
  await settings.patch({ poll_interval: 2 });
  await settings.star("a:0.0", true);
  expect(await readFile(path, "utf8")).toBe("poll_interval: 3 # mine\n");
  expect((await load({ yaml: path })).settings.current.poll_interval).toBe(2);
});

test("a malformed instance id is replaced by another that stays", async () => {
  const { instanceId, stateDir } = await load();
  await writeFile(join(stateDir, "server-instance-id"), "not an id");
  const next = (await load()).instanceId;
  expect(next).not.toBe(instanceId);
  expect(next).toMatch(/^[0-9a-f-]{36}$/);
  expect((await load()).instanceId).toBe(next);
});

test("a state folder that cannot be made is one line of the log, and the service starts", async () => {
  await symlink(join(home, "gone", "away"), join(home, ".panewatch"));
  const { instanceId } = await load();
  expect(instanceId).toMatch(/^[0-9a-f-]{36}$/);
  expect(lines).toHaveLength(1);
  expect(lines[0]?.trimEnd().split("\n")).toHaveLength(1);
  expect(lines[0]).toContain("notification links will not outlive this run");
});

test("an instance id in upper case is valid", async () => {
  const { stateDir } = await load();
  const id = "3F2504E0-4F89-41D3-9A0C-0305E82C3301";
  await writeFile(join(stateDir, "server-instance-id"), `${id}\n`);
  expect((await load()).instanceId).toBe(id);
  expect(lines).toEqual([]);
});

for (const content of ["{", "[]", '"text"', ""]) {
  test(`a malformed file of saved settings is moved aside, and the service starts: ${content}`, async () => {
    const { stateDir } = await load();
    await writeFile(join(stateDir, "panewatch-settings.json"), content);
    const { settings } = await load();
    expect(settings.current.poll_interval).toBe(0.7);
    const names = await readdir(stateDir);
    expect(
      names.filter((name) => /^panewatch-settings\.json\.corrupt-\d+$/.test(name)),
    ).toHaveLength(1);
    expect(lines).toHaveLength(1);
  });
}

test("saved values that no longer validate are dropped with a warning, the others hold", async () => {
  const { stateDir } = await load();
  const saved = { poll_interval: "x", capture_lines: 99, naming_mode: "gone", old_key: 1 };
  await writeFile(join(stateDir, "panewatch-settings.json"), JSON.stringify(saved));
  const { settings } = await load();
  expect(settings.live()).toMatchObject({
    poll_interval: 0.7,
    capture_lines: 99,
    naming_mode: "session_window_pane",
  });
  expect(lines).toHaveLength(3);
});

test("law: each key has the value and the source of the highest layer that has it", () => {
  // Only the layer of a value matters here: the values are the layers' names.
  const layer = fc.subarray([...CONFIG_KEYS]);
  forAll([layer, layer, layer], 120, (yaml, overlay, flags) => {
    const named = { yaml, overlay, flags };
    const layers = {
      yaml: layerOf(yaml.map((key) => [key, "yaml"])),
      overlay: layerOf(overlay.map((key) => [key, "overlay"])),
      flags: layerOf(flags.map((key) => [key, "flags"])),
    };
    const config: Record<string, unknown> = resolve(layers);
    for (const key of CONFIG_KEYS) {
      const highest = (["flags", "overlay", "yaml"] as const).find((n) => named[n].includes(key));
      expect(sourceOf(layers, key)).toBe(highest ?? "default");
      expect(config[key]).toEqual(highest ?? FIELDS[key].default);
    }
  });
});
