import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeArchives } from "../../src/release/release.ts";
import { VERSION } from "../../src/protocol/version.ts";
import { Asker } from "../support/asker.ts";
import { PHONE } from "../support/browser.ts";
import { tapCalmly } from "../support/calm.ts";
import { PageLab } from "../support/page-lab.ts";
import { EXECUTABLE } from "../support/child.ts";
import { fakeTailscale } from "../support/tailscale.ts";
import { OwnAuthority } from "../support/push-keys.ts";
import { Relay } from "../support/relay.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { until } from "../support/until.ts";

/** In place of the executable: packing and unpacking 119 MB takes 12 s and reads none of it. */
const SMALL = `#!/bin/sh\nexec '${EXECUTABLE}' "$@"\n`;
const TARGET = `${process.platform}-${process.arch}`;

const lab = PageLab.ofFile();
let folder = "";
let releases: Bun.Server<undefined>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "panewatch-first-hour-"));
  const out = join(folder, "release");
  releases = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => new Response(Bun.file(join(out, new URL(url).pathname))),
  });
  const from = releases.url.href.replace(/\/$/, "");
  const small = join(folder, "panewatch");
  await writeFile(small, SMALL, { mode: 0o755 });
  const executables = { [TARGET]: IS_THOROUGH ? EXECUTABLE : small };
  const facts = { homepage: from, keys: [], signingKey: null };
  await writeArchives({ version: VERSION, from, latest: from, executables, out, ...facts });
});
afterAll(async () => {
  await releases.stop(true);
  await rm(folder, { recursive: true, force: true });
});

/**
 * A machine without panewatch: a fresh home, a tmux in which an agent asks, and
 * Tailscale, whose name leads to it over HTTPS.
 */
async function machine() {
  const authority = await OwnAuthority.open();
  lab.closes(() => authority.close());
  const { key, certificate: cert } = authority;
  const proxy = await Relay.to(0, { tls: { key, cert } });
  lab.closes(() => proxy.stop());
  const home = await mkdtemp(join(folder, "home-"));
  const place = { name: "mina.localhost", port: proxy.port };
  const tailscale = await fakeTailscale(home, place);
  const tmux = await lab.tmux();
  const asker = new Asker(await mkdtemp(join(folder, "asker-")));
  await tmux.open(asker.command);
  const env = {
    ...{ HOME: home, LANG: "C.UTF-8", NO_COLOR: "1", TMPDIR: join(home, "tmp") },
    TMUX_TMPDIR: tmux.folder,
    PATH: `${tailscale.folder}:${process.env.PATH}`,
  };
  await mkdir(env.TMPDIR);
  /** Runs a command line as a person types it. */
  const type = (line: string) => {
    const child = Bun.spawn(["sh", "-c", line], { env, stdio: ["ignore", "pipe", "pipe"] });
    const output = { out: "", err: "" };
    const read = async (stream: ReadableStream<Uint8Array>, to: keyof typeof output) => {
      for await (const chunk of stream) output[to] += new TextDecoder().decode(chunk);
      return output[to];
    };
    const isRead = Promise.all([read(child.stdout, "out"), read(child.stderr, "err")]);
    const end = async () => {
      const code = await child.exited;
      await isRead;
      return { ...output, code };
    };
    /** Leaves the service running, and points the HTTPS name to it. */
    const serves = async () => {
      lab.closes(async () => {
        child.kill("SIGTERM");
        await child.exited;
      });
      const port = await until(() => /http:\/\/127\.0\.0\.1:(\d+)\n/.exec(output.out)?.[1] ?? null);
      proxy.target = Number(port);
    };
    return { output, end, serves };
  };
  return { type, asker, url: `https://mina.localhost:${proxy.port}` };
}

const LINK = /^https:\S+#pair=\S+$/m;
const GET = Bun.which("curl") === null ? "wget -qO-" : "curl -fsSL";
const INSTALL = () => `${GET} ${releases.url.href}install.sh | sh`;
/** The command in the last line of install.sh. */
const startIn = (output: string) =>
  /^start it, and bring it to your phone: (.+)$/m.exec(output)?.[1] ?? "it says no command";

test("an empty machine answers from a phone after two commands and three taps", async () => {
  const { type, asker, url } = await machine();
  const { page } = await lab.page(PHONE, { ignoreHTTPSErrors: true });
  const installed = await type(INSTALL()).end();
  expect([installed.code, installed.err]).toEqual([0, ""]);

  const { output, serves } = type(`exec ${startIn(installed.out)} --yes --port 0`);
  await serves();
  const link = await until(() => LINK.exec(output.out)?.[0]);
  expect(link).toStartWith(`${url}/#pair=`);

  const seen: string[] = [];
  page.on("request", (request) => seen.push(request.url()));
  await page.goto(link);
  await page.getByRole("heading", { name: "Paired" }).waitFor();
  expect(await page.evaluate(() => isSecureContext)).toBe(true);
  // The code leaves the address, and no request carries it.
  const [, code = ""] = link.split("#pair=");
  expect([page.url(), ...seen].filter((address) => address.includes(code))).toEqual([]);
  await page.getByRole("button", { name: /^Open the queue/ }).tap();
  await page.getByText("make step-1").waitFor();
  await tapCalmly(page.getByRole("option", { name: /^1 Yes\b/ }));
  await until(() => asker.arrivals.length > 0);
  expect(asker.arrivals).toEqual([{ question: 1, data: "1" }]);

  // The same code a second time, on another phone.
  const other = await lab.page(PHONE, { ignoreHTTPSErrors: true });
  await other.page.goto(link);
  await other.page
    .getByRole("main")
    .getByText("This code was used already or is too old. Ask for a new one, or sign in below.")
    .waitFor();
});
