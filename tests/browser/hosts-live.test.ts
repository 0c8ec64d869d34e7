import { beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Layer } from "../../src/config/resolve.ts";
import { Asker } from "../support/asker.ts";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { PageLab } from "../support/page-lab.ts";
import { SshLab } from "../support/sshd.ts";
import type { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { rare as it } from "../support/thorough.ts";
import { sheet } from "./scene.ts";

/** One grey pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

const lab = PageLab.ofFile();
let ssh: SshLab;

beforeEach(async () => {
  ssh = await SshLab.open();
  lab.closes(() => ssh.stop());
});

/** A machine whose one agent asks. */
async function machine(name: string | null): Promise<Machine> {
  const tmux = await lab.tmux();
  const home = await realpath(await mkdtemp(join(lab.scratch, "host-")));
  const asker = new Asker(home);
  await tmux.open(asker.command);
  if (name !== null) await ssh.host(name, { tmux: tmux.folder, home });
  return { tmux, home, asker };
}

interface Machine {
  readonly tmux: PrivateTmux;
  /** Home folder of those that ssh reaches. */
  readonly home: string;
  readonly asker: Asker;
}

async function open(tmux: PrivateTmux, names: readonly string[], more: Layer = {}): Promise<Page> {
  const hosts = names.map((name) => ({ name, ssh: name, watch: true }));
  const service = await lab.service({
    tmux,
    linkCommand: ssh.command,
    flags: { ...(names.length === 0 ? {} : { hosts }), ...more },
  });
  const page = await lab.open(service.url);
  return page;
}

const cardOn = (page: Page, name: string) =>
  page.getByRole("article").filter({ has: page.locator(".host-chip", { hasText: name }) });

test("one of three machines goes away and returns while a person answers on another", async () => {
  const here = await machine(null);
  const gpu = await machine("gpu-1");
  const build = await machine("build");
  const page = await open(here.tmux, ["gpu-1", "build"]);
  for (const name of ["gpu-1", "build"])
    await cardOn(page, name)
      .getByRole("option", { name: /^1 Yes\b/ })
      .waitFor();
  expect(await page.getByRole("article").count()).toBe(3);

  await ssh.halt("build");
  await cardOn(page, "build").getByText("build is away since").waitFor();
  await page.getByText(/3 waiting.*build is away/).waitFor();

  // What is away takes nothing; the other is answered where it stands.
  await calm(page);
  await cardOn(page, "build")
    .getByRole("option", { name: /^1 Yes\b/ })
    .tap({ force: true });
  await calm(page);
  await cardOn(page, "gpu-1")
    .getByRole("option", { name: /^1 Yes\b/ })
    .tap();
  await becomes(() => gpu.asker.arrivals, [{ question: 1, data: "1" }]);
  await cardOn(page, "gpu-1").waitFor({ state: "detached" });

  await ssh.boot("build");
  await cardOn(page, "build").getByRole("button", { name: "Retry: build" }).tap();
  await cardOn(page, "build").getByText("build is away since").waitFor({ state: "detached" });
  await calm(page);
  await cardOn(page, "build")
    .getByRole("option", { name: /^3 No\b/ })
    .tap();
  await becomes(() => build.asker.arrivals, [{ question: 1, data: "3" }]);
  expect(here.asker.arrivals).toEqual([]);
});

it("a shell is created on another machine, is given an image there, and is closed", async () => {
  const here = await machine(null);
  const gpu = await machine("gpu-1");
  await mkdir(join(gpu.home, "runs"));
  const page = await open(here.tmux, ["gpu-1"]);
  await cardOn(page, "gpu-1").waitFor();
  await page.keyboard.press("c");
  await page.getByRole("combobox", { name: "Machine" }).selectOption("gpu-1");
  await page.getByRole("button", { name: "runs" }).tap();
  await page.getByText("No folders in here.").waitFor();
  await page.getByText("Shell", { exact: true }).tap();
  await page.getByRole("button", { name: "Create session" }).tap();
  await page.getByRole("log").waitFor();
  const sessions = () => gpu.tmux.command("list-sessions", "-F", "#{session_name}");
  await becomes(sessions, "main\nruns");
  await page.locator(".host-chip", { hasText: "gpu-1" }).first().waitFor();

  await page.getByRole("button", { name: "Attach or insert" }).tap();
  const picture = { name: "shot.png", mimeType: "image/png", buffer: Buffer.from(PNG, "base64") };
  await page.locator("input[type=file][multiple]").setInputFiles(picture);
  await page.getByText("Goes with the message").waitFor();
  await calm(page);
  await page.getByRole("button", { name: "Send", exact: true }).tap();
  const uploads = join(gpu.home, ".panewatch", "uploads");
  const [image = ""] = await readdir(uploads);
  const pane = () => gpu.tmux.command("capture-pane", "-p", "-J", "-t", "=runs:");
  await until(async () => (await pane()).includes(join(uploads, image)) || null);

  await calm(page);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Close pane" }).tap();
  const dialog = page.getByRole("dialog", { name: "Close pane" });
  await dialog.getByRole("button", { name: "Close pane" }).tap();
  await becomes(sessions, "main");
});

it("a text goes to shells of both machines; star and name outlast a machine's going", async () => {
  const here = await machine(null);
  const gpu = await machine("gpu-1");
  const page = await open(here.tmux, ["gpu-1"], { "discovery.include_shells": true });
  await cardOn(page, "gpu-1").waitFor();
  await sheet("broadcast")(page);
  const box = page.getByRole("dialog", { name: "Broadcast" });
  await box.getByRole("checkbox", { name: /gpu-1/ }).tap();
  await box.getByRole("checkbox", { name: /^(?!.*gpu-1)/ }).tap();
  await box.getByRole("textbox").fill("echo sent-$((40+2))");
  await calm(page);
  await box.getByRole("button", { name: "Send to 2 panes" }).tap();
  for (const { tmux } of [here, gpu])
    await until(async () => (await tmux.screen("%0")).includes("sent-42") || null);
  await page.keyboard.press("Escape");

  await cardOn(page, "gpu-1").locator(".card-title").tap();
  const menu = async (item: string) => {
    await calm(page);
    await page.getByRole("button", { name: "More", exact: true }).tap();
    await page.getByRole("button", { name: item, exact: true }).tap();
  };
  await menu("Star");
  await menu("Rename");
  await page.getByRole("textbox", { name: "Name" }).fill("trainer");
  const saved = page.waitForResponse((reply) => reply.request().method() === "PATCH");
  await page.getByRole("button", { name: "Save" }).tap();
  await saved;
  await ssh.halt("gpu-1");
  await page.reload();
  await page.getByText("gpu-1 is away since").waitFor();
  await page.getByText("trainer", { exact: true }).waitFor();
  await menu("Remove star");
});

it("a machine is added once every step is done, and the one that fails says what to run", async () => {
  const here = await machine(null);
  const gpu = await machine("gpu-1");
  await ssh.forget("gpu-1");
  const page = await open(here.tmux, []);
  await page.getByRole("article").waitFor();
  expect(await page.locator(".host-chip").count()).toBe(0);

  await sheet("settings-hosts")(page);
  await page.getByRole("button", { name: "Add a machine" }).tap();
  await page.getByLabel("Name or address").fill("gpu-1");
  await page.getByRole("button", { name: "Check", exact: true }).tap();
  await page.getByText("Its host key is not accepted").waitFor();
  await page.getByText("ssh gpu-1 true").waitFor();
  expect(await page.getByRole("button", { name: "Add", exact: true }).isDisabled()).toBe(true);

  // As a person does by hand.
  await ssh.know("gpu-1");
  await page.getByRole("button", { name: "Try again" }).tap();
  await page.getByText(/^tmux \d/).waitFor();
  await page.getByRole("button", { name: "Add", exact: true }).tap();
  await page.getByText("gpu-1 is watched.").waitFor();
  await page
    .getByRole("button", { name: /^gpu-1/ })
    .getByText(/ms round trip/)
    .waitFor();
  await cardOn(page, "gpu-1").waitFor();
  expect(gpu.asker.arrivals).toEqual([]);
});
