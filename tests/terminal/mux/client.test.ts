import { afterAll, expect, test } from "bun:test";
import { realpathSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { socketPath } from "../../../src/terminal/mux/client.ts";
import { PrivateTmux } from "../../support/tmux.ts";

const UID = process.getuid?.() ?? 0;

const tmux = await PrivateTmux.start();

afterAll(async () => {
  await tmux.stop();
});

test("the socket path is the one that tmux itself uses", async () => {
  const real = await tmux.command("display-message", "-p", "#{socket_path}");
  expect(socketPath("", { TMUX_TMPDIR: tmux.folder }, UID)).toBe(real);
  expect(socketPath("default", { TMUX_TMPDIR: tmux.folder }, UID)).toBe(real);
  expect(socketPath(real, {}, UID)).toBe(real);
  expect(socketPath(relative(process.cwd(), real), {}, UID)).toBe(real);
  const link = join(tmux.folder, "link");
  await symlink(tmux.folder, link);
  expect(socketPath("", { TMUX_TMPDIR: link }, UID)).toBe(real);
});

test("inside a pane the socket path is that of the pane's server, unless another server is named", () => {
  const env = { TMUX: "/run/tmux/inner,4711,0", TMUX_TMPDIR: tmux.folder };
  expect(socketPath("", env, 1000)).toBe("/run/tmux/inner");
  expect(socketPath("work", env, 1000)).toBe(join(tmux.folder, "tmux-1000/work"));
});

test("the socket path is below /tmp where TMUX_TMPDIR is unset or names no folder", () => {
  const socket = join(realpathSync("/tmp"), "tmux-1000/default");
  expect(socketPath("", {}, 1000)).toBe(socket);
  expect(socketPath("", { TMUX: "", TMUX_TMPDIR: "" }, 1000)).toBe(socket);
  expect(socketPath("", { TMUX_TMPDIR: join(tmux.folder, "none") }, 1000)).toBe(socket);
});
