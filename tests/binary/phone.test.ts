import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { urlHost } from "../../src/lib/address.ts";
import { interfaceAddresses } from "../../src/pairing/links.ts";
import { upCommand } from "../../src/pairing/tailscale.ts";
import { fakeTailscale, type FakeTailscale } from "../support/tailscale.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { jsonRequest } from "../support/json.ts";
import { addressOf, endOf, EXECUTABLE, textOf } from "../support/child.ts";

const DEADLINE_MS = 60_000;

let tailscale: FakeTailscale;
let service: Bun.Subprocess<"ignore", "pipe", "ignore">;
let url = "";

const stateDir = () => join(tmux.folder, ".panewatch");
const environment = () => ({
  ...tmux.env,
  HOME: tmux.folder,
  NO_COLOR: "1",
  PATH: `${tailscale.folder}:${process.env.PATH}`,
});

const tmux = await PrivateTmux.start({ width: 100, height: 30 });
afterAll(() => tmux.stop());
beforeEach(async () => {
  await rm(stateDir(), { recursive: true, force: true });
  tailscale = await fakeTailscale(tmux.folder);
  await start();
});
afterEach(async () => {
  await stop();
  await rm(tailscale.folder, { recursive: true, force: true });
});

async function start(): Promise<void> {
  service = Bun.spawn([EXECUTABLE, "--port", "0"], {
    env: environment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  url = await addressOf(service.stdout);
}

async function stop(): Promise<void> {
  service.kill("SIGTERM");
  await service.exited;
}

const run = (args: readonly string[], stdin: string) =>
  Bun.spawn([EXECUTABLE, ...args], {
    env: environment(),
    stdio: [new Blob([stdin]), "pipe", "pipe"],
    timeout: DEADLINE_MS,
  });

const panewatch = (args: readonly string[], stdin = "") => endOf(run(args, stdin));

function begin(args: readonly string[], stdin = "") {
  const child = run(args, stdin);
  return { child, out: textOf(child.stdout) };
}

const status = async (token = "") => {
  const headers = token === "" ? {} : { authorization: `Bearer ${token}` };
  return (await fetch(`${url}/api/state`, { headers })).status;
};

/** Runs `panewatch phone` until it waits, and signs a phone in by its link. */
async function pairOne(args: readonly string[], stdin = "") {
  const { child, out } = begin(args, stdin);
  const code = await until(() => /type ([A-Z2-9]{4}-[A-Z2-9]{4})/.exec(out.text)?.[1] ?? null);
  const reply = await fetch(
    `${url}/api/pair`,
    jsonRequest("POST", { code, name: "Safari on iOS" }),
  );
  const { token } = (await reply.json()) as { token: string };
  expect(await child.exited).toBe(0);
  await out.end;
  return { stdout: out.text, token };
}

test("phone makes a token, serves it, lets a phone in, and --off undoes all of it", async () => {
  const { stdout, token } = await pairOne(["phone"], "y\n\n");
  const { port } = new URL(url);
  expect(stdout).toContain("Make a token, so that nobody else can type into your terminals. [Y/n]");
  expect(stdout).toContain(
    `Run tailscale serve --bg ${port}, so that your own devices reach it at ${tailscale.url}. [Y/n]`,
  );
  expect(stdout).toContain(`${tailscale.url}/#pair=`);
  expect(stdout).toEndWith("Safari on iOS has signed in.\n");
  expect(await tailscale.changes()).toEqual([`serve --bg ${port}`]);
  expect([await status(), await status(token)]).toEqual([401, 200]);

  const own = (await panewatch(["token"])).stdout.trim();
  expect(own).toMatch(/^[\w-]{43}$/);
  expect(stdout).not.toContain(own);
  expect(await status(own)).toBe(200);
  const accessFile = join(stateDir(), "panewatch-access.json");
  expect((await stat(accessFile)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(accessFile, "utf8"))).toMatchObject({
    token: own,
    addresses: [tailscale.url],
    token_made: { by: "local" },
    grants: [{ name: "Safari on iOS", scope: "type", by: "local" }],
  });
  expect(await readFile(accessFile, "utf8")).not.toContain(token);

  await stop();
  await start();
  expect([await status(), await status(token)]).toEqual([401, 200]);
  await Bun.$`tailscale serve --bg ${new URL(url).port}`.env(environment()).quiet();

  const undone = await panewatch(["phone", "--off", "--yes"]);
  expect(undone.code).toBe(0);
  expect(undone.stdout.split("\n")).toEqual([
    `Run tailscale serve --https=443 off, so that ${tailscale.url} leads here no more.`,
    `Forget ${tailscale.url}.`,
    "Remove the token and sign out 1 paired device.",
    "Undone: only this machine reaches panewatch.",
    "",
  ]);
  expect((await tailscale.changes()).at(-1)).toBe("serve --https=443 off");
  expect(await status()).toBe(200);
  expect(await panewatch(["token"])).toMatchObject({
    code: 2,
    stderr: "panewatch: there is no token: panewatch phone makes one\n",
  });
});

test("phone keeps an earlier token, and makes another with --new-token", async () => {
  const before = await pairOne(["phone", "--yes"]);
  const again = await pairOne(["phone", "--yes"]);
  expect(again.stdout).toMatch(
    /^The token goes on that a command of this machine made on .+\.\n--new-token makes another\.\n/,
  );
  expect(await status(before.token)).toBe(200);
  const renewed = await pairOne(["phone", "--yes", "--new-token"]);
  expect(renewed.stdout).toStartWith("Make another token: every device and page signs in again.\n");
  expect([await status(before.token), await status(renewed.token)]).toEqual([401, 200]);
});

test("phone stops at the first declined step, and changes nothing more", async () => {
  const declined = await panewatch(["phone"], "n\n");
  expect(declined.code).toBe(1);
  expect(declined.stdout).toEndWith("Stopped: the rest is as it was.\n");
  expect(await status()).toBe(200);
  const unanswered = await panewatch(["pair"]);
  expect(unanswered.code).toBe(1);
  expect(unanswered.stdout).toContain("Make a token");
  expect(unanswered.stdout).toContain("Nobody answers: panewatch phone --yes asks nothing.");
  expect(await status()).toBe(200);
  expect(await tailscale.changes()).toEqual([]);

  expect((await panewatch(["phone"], "y\nn\n")).code).toBe(1);
  expect(await status()).toBe(401);
  const off = await panewatch(["phone", "--off"], "n\n");
  expect(off.code).toBe(1);
  expect(off.stdout).toStartWith("Remove the token. [Y/n]");
  const unasked = await panewatch(["phone", "--off"]);
  expect(unasked.stdout).toContain("Nobody answers: panewatch phone --off --yes asks nothing.");
  expect(await status()).toBe(401);
});

test("phone prints the command to run when Tailscale is off, denied, disabled or missing", async () => {
  const { port } = new URL(url);
  await tailscale.become("off");
  const off = await panewatch(["phone", "--yes"]);
  expect(off.code).toBe(1);
  expect(off.stdout).toEndWith(
    `is off: run this in a terminal.\n  ${upCommand({ hasDaemon: true })}\nThen run panewatch phone again.\n`,
  );

  await tailscale.become("denied");
  const denied = await panewatch(["phone", "--yes"]);
  expect(denied.code).toBe(1);
  expect(denied.stdout).toEndWith(
    `Tailscale wants more rights. Run this once, then panewatch phone again:\n  sudo tailscale set --operator="$USER"\nOr this alone: sudo tailscale serve --bg ${port}\n`,
  );

  await tailscale.become("disabled");
  const disabled = await panewatch(["phone", "--yes"]);
  expect(disabled.code).toBe(1);
  expect(disabled.stdout).toContain(
    "Tailscale asks for your consent, once: open https://login.tailscale.com/f/serve?node=n1CNTRL",
  );

  await rm(join(tailscale.folder, "tailscale"));
  const none = await panewatch(["phone", "--yes"]);
  expect(none.code).toBe(1);
  expect(none.stdout).toContain("No phone can reach this address. ");
  expect(none.stdout).toContain("https://tailscale.com/download\n");
  expect(none.stdout).toEndWith("  panewatch phone --address https://panes.example\n");
});

test("phone takes an address of the person's own, without Tailscale, and changes nothing for a wrong one", async () => {
  for (const [address, stderr] of [
    ["panes.example", "--address panes.example: it must be an http or https address"],
    [
      "http://panes.example",
      "--address http://panes.example is not encrypted: https, or --lan with it",
    ],
  ] as const) {
    const refused = await panewatch(["phone", "--yes", "--address", address]);
    expect(refused).toMatchObject({ code: 2, stderr: `panewatch: ${stderr}\n` });
  }
  expect(await status()).toBe(200);
  const { stdout } = await pairOne(["phone", "--yes", "--address", "https://panes.example/"]);
  expect(stdout).toContain("https://panes.example/#pair=");
  expect(await tailscale.changes()).toEqual([]);
});

test("phone --lan warns, opens the local network, and --off closes it", async () => {
  const [network] = interfaceAddresses();
  if (network === undefined) {
    const { code, stderr } = await panewatch(["phone", "--yes", "--lan"]);
    return expect([code, stderr]).toEqual([2, "panewatch: this machine is in no network\n"]);
  }
  const address = `http://${urlHost(network)}:${new URL(url).port}`;
  const declined = await panewatch(["phone", "--lan"], "y\nn\n");
  expect(declined.code).toBe(1);
  expect(declined.stdout).toContain("Without encryption, whoever listens in that network");
  expect(await fetch(address).catch(() => null)).toBeNull();
  const { stdout, token } = await pairOne(["phone", "--yes", "--lan"]);
  expect(stdout).toContain(`${address}/#pair=`);
  expect(stdout).toContain("The connection is not encrypted");
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${address}/api/state`, { headers })).status).toBe(200);
  expect((await fetch(`${address}/api/state`)).status).toBe(401);
  expect((await panewatch(["phone", "--off", "--yes"])).code).toBe(0);
  expect(await fetch(address).catch(() => null)).toBeNull();
});

test("phone without a service starts it, and leaves none running after a failed step", async () => {
  await stop();
  const off = await panewatch(["phone", "--off", "--yes"]);
  expect(off.code).toBe(2);
  expect(off.stderr).toStartWith("panewatch: no panewatch runs with ");

  await tailscale.become("off");
  const hindered = await panewatch(["phone", "--yes", "--port", "0"]);
  expect(hindered.code).toBe(1);
  expect(hindered.stdout).toStartWith("panewatch ");
  expect(hindered.stdout).toEndWith(
    `  ${upCommand({ hasDaemon: true })}\nThen run panewatch phone again.\nNothing runs now; panewatch alone starts it on this machine.\n`,
  );
  expect((await panewatch(["ls"])).stderr).toContain("no panewatch runs with ");

  await tailscale.become("on");
  const { child, out } = begin(["phone", "--yes", "--port", "0"]);
  const code = await until(() => /type ([A-Z2-9]{4}-[A-Z2-9]{4})/.exec(out.text)?.[1] ?? null);
  url = /http:\/\/127\.0\.0\.1:\d+/.exec(out.text)?.[0] ?? "";
  const another = await panewatch(["phone", "--yes", "--port", "8787"]);
  expect([another.code, another.stderr]).toEqual([
    2,
    `panewatch: panewatch runs already (pid ${child.pid}): --port is for a new one\n`,
  ]);
  const reply = await fetch(
    `${url}/api/pair`,
    jsonRequest("POST", { code, name: "Safari on iOS" }),
  );
  expect(reply.status).toBe(200);
  await until(() => out.text.includes("panewatch runs here until Ctrl-C;"));
  expect(out.text).toContain("Safari on iOS has signed in.\n");
  expect(await status()).toBe(401);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
