import { beforeEach, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { putImage } from "../../src/hosts/remote-shell.ts";
import { MAX_IMAGE_BYTES, UploadedImage } from "../../src/protocol/input.ts";
import { sample } from "../images/samples.ts";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

const FAR_PANE = "%1000000";

const stage = await HostStage.open();
const { lab } = stage;
const home = lab.homeOf("gpu-1");
const uploads = join(home, ".panewatch/uploads");
await stage.host("gpu-1");
const service = await stage.begin();
await service.publishes(FAR_PANE);
beforeEach(() => rm(uploads, { recursive: true, force: true }));

async function upload(bytes: Uint8Array, id = FAR_PANE) {
  const reply = await fetch(`${service.url}/api/images?id=${encodeURIComponent(id)}`, {
    method: "POST",
    headers: { "content-type": "image/png" },
    body: new Uint8Array(bytes),
  });
  return { status: reply.status, body: await reply.json() };
}

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const localUploads = () => readdir(join(service.stateDir, "uploads"));

test("an image for a pane of a host is stored on that host alone, in a private folder", async () => {
  const bytes = sample("image/png", MAX_IMAGE_BYTES);
  const { status, body } = await upload(bytes);
  expect(status).toBe(201);
  const image = UploadedImage.strict().parse(body);
  expect(image.path).toBe(join(uploads, basename(image.path)));
  expect(image.terminal_text).toBe(image.path);
  expect(Buffer.compare(await readFile(image.path), bytes)).toBe(0);
  expect([await mode(image.path), await mode(uploads)]).toEqual(["600", "700"]);
  expect(await localUploads()).toEqual([]);
});

test("uploads on a host are removed after a day, other files and newer ones stay", async () => {
  await mkdir(uploads, { recursive: true });
  const hex = "0123456789abcdef0123456789abcdef";
  const fresh = `${hex.slice(1)}1.png`;
  const names = [`${hex}.png`, `.${hex}.part`, "mine.png", fresh];
  for (const name of names) await writeFile(join(uploads, name), "x");
  const yesterday = Date.now() / 1000 - 25 * 60 * 60;
  for (const name of names.slice(0, 3)) await utimes(join(uploads, name), yesterday, yesterday);
  const { body } = await upload(sample("image/png", 1000));
  const added = basename(UploadedImage.parse(body).path);
  expect((await readdir(uploads)).toSorted()).toEqual([added, "mine.png", fresh].toSorted());
});

test("an upload that would exceed 200 MiB on a host is refused", async () => {
  await mkdir(uploads, { recursive: true });
  await writeFile(join(uploads, "large"), new Uint8Array(200 * 1024 * 1024));
  expect(await upload(sample("image/png", 1000))).toMatchObject({
    status: 507,
    body: { detail: "temporary image upload quota exceeded" },
  });
});

test("an upload folder on a host that is a link is refused, and nothing is stored here", async () => {
  await mkdir(lab.path("elsewhere"), { recursive: true });
  await symlink(lab.path("elsewhere"), uploads);
  expect(await upload(sample("image/png", 1000))).toMatchObject({ status: 507 });
  expect(await readdir(lab.path("elsewhere"))).toEqual([]);
  expect(await localUploads()).toEqual([]);
});

test("an upload that the connection cuts off leaves no file on the host", async () => {
  const through = 'head -c 500 | sh -c "$1"';
  const command = ["env", `HOME=${home}`, "sh", "-c", through, "cut", ""];
  const bytes = sample("image/png", 1000);
  const name = `${"0".repeat(32)}.png`;
  const { signal } = new AbortController();
  await expect(putImage({ name, bytes }, { command, signal })).rejects.toMatchObject({
    kind: "storage",
  });
  expect(await readdir(uploads)).toEqual([]);
});

test("an image for a pane of a host that is away is refused", async () => {
  await lab.halt("gpu-1");
  await until(async () => (await upload(sample("image/png", 1000))).status === 409);
  expect(await upload(sample("image/png", 1000))).toMatchObject({
    body: { detail: { reason: "host_away", host: "gpu-1" } },
  });
  expect(await localUploads()).toEqual([]);
  await lab.boot("gpu-1");
});
