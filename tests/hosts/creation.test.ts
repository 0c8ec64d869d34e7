import { expect, test } from "bun:test";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { CreateReply, CreationState, DirectoryListing } from "../../src/protocol/creation.ts";
import { shellScript } from "../support/shell-script.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { HostStage } from "./stage.ts";

const stage = await HostStage.open();
const { lab, here, get, post, panes } = stage;
const code = lab.path("it's code");
await mkdir(join(code, "api"), { recursive: true });
await mkdir(lab.path("secret"));
await symlink(lab.path("secret"), join(code, "escape"));
await shellScript(join(code, "agent"), `printf 'told %s\\n' "$1"; exec sleep 600`);
// No tmux server runs on the host yet.
const gpu = await stage.host("gpu-1", {}, await PrivateTmux.idle());
await stage.begin({
  "creation.runtimes": { agent_a: [join(code, "agent"), 'it\'s "$HOME"'] },
  hosts: [{ name: "gpu-1", ssh: "gpu-1", watch: true, roots: [{ label: "code", path: code }] }],
});

const paneOf = async (id: string) => (await panes()).find((pane) => pane.id === id);

const session = (cwd: string) => ({
  type: "session",
  host: "gpu-1",
  cwd,
  runtime: "agent_a",
  name: null,
});

async function live() {
  await until(async () => {
    const { body } = await get("/api/mux/creation?host=gpu-1");
    return CreationState.safeParse(body).data?.enabled || null;
  });
}

test("a host offers its own roots, runtimes and folders for creation, and nothing outside its roots", async () => {
  await live();
  const { body } = await get("/api/mux/creation?host=gpu-1");
  const state = CreationState.strict().parse(body);
  expect(state.roots).toEqual([{ label: "code", path: code }]);
  expect(state.runtimes.filter(({ available }) => available).map(({ id }) => id)).toEqual([
    "shell",
    "agent_a",
  ]);
  const path = encodeURIComponent(code);
  const listing = DirectoryListing.parse(
    (await get(`/api/mux/directories?host=gpu-1&path=${path}`)).body,
  );
  expect(listing.directories).toEqual([{ name: "api", path: join(code, "api") }]);
  const secret = encodeURIComponent(join(code, "escape"));
  expect((await get(`/api/mux/directories?host=gpu-1&path=${secret}`)).status).toBe(403);
  expect((await get("/api/mux/creation?host=nobody")).status).toBe(404);
});

test("requests for folders of a host leave its one turn for scripts to those who read its processes", async () => {
  await live();
  const path = encodeURIComponent(code);
  const look = () => get(`/api/mux/directories?host=gpu-1&path=${path}`);
  const replies = await Promise.all(Array.from({ length: 40 }, look));
  const served = replies.filter(({ status }) => status === 200).length;
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThan(20);
  const refused = replies.find(({ status }) => status !== 200);
  expect(refused).toMatchObject({
    status: 429,
    body: { detail: "too many requests wait for the disk" },
  });
});

test("a session created on a host starts its tmux, and its panes are split and closed there", async () => {
  await live();
  const made = await post("/api/mux/create", session(join(code, "api")));
  expect(made.status).toBe(201);
  const { pane_id, target } = CreateReply.parse(made.body);
  expect(target).toBe("gpu-1:api:0.0");
  expect(await paneOf(pane_id)).toMatchObject({ host: "gpu-1", target, cwd: join(code, "api") });
  await until(async () => (await gpu.screen("%0")).includes('told it\'s "$HOME"'));
  const split = await post("/api/mux/create", {
    type: "pane",
    parent_pane_id: pane_id,
    cwd: code,
    runtime: "shell",
    split: "stacked",
  });
  expect(split).toMatchObject({ status: 201, body: { target: "gpu-1:api:0.1" } });
  expect(await post("/api/mux/close", { id: pane_id })).toMatchObject({ status: 200 });
  expect(await paneOf(pane_id)).toBeUndefined();
  expect((await gpu.command("list-panes", "-a", "-F", "#{pane_id}")).trim()).toBe("%1");
  expect((await here.command("list-sessions", "-F", "#{session_name}")).trim()).toBe("main");
});

test("creation on a host that is away is refused, and the refusal names the host", async () => {
  await live();
  await lab.halt("gpu-1");
  await until(async () => {
    const { body } = await get("/api/mux/creation?host=gpu-1");
    return CreationState.safeParse(body).data?.reason === "gpu-1 is away." || null;
  });
  expect(await post("/api/mux/create", session(code))).toMatchObject({
    status: 409,
    body: { detail: { reason: "host_away", host: "gpu-1" } },
  });
  await lab.boot("gpu-1");
  await post("/api/hosts/gpu-1/retry", {});
  await live();
});
