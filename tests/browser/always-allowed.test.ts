import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import {
  ANSWERED_FILE,
  type KeptAnswers,
  NO_ANSWERS,
  withAnswer,
} from "../../src/answered/answered.ts";
import { AnsweredState } from "../../src/protocol/answered.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import { openFixture } from "../support/fixture-page.ts";
import { send } from "../support/live-workspace.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
const DAY = 86_400;
/** So that it asks soon. */
const PACE = "6";
const DEMO_ENTRY = join(import.meta.dir, "..", "demo", "entry.ts");
const COMMAND = "npm test -- --run checkout";

let url: string;
let page: Page;
let folder: string;

/** Allowed four times on the days before: one answer more and it is told. */
function fourAnswers(cwd: string): KeptAnswers {
  const now = Date.now() / 1000;
  const dayOf = (at: number) => Math.floor(at / DAY);
  return [4, 3, 2, 1].reduce(
    (kept, ago) =>
      withAnswer(
        kept,
        { folder: cwd, command: COMMAND },
        { answer: "allowed", at: now - ago * DAY, dayOf },
      ),
    NO_ANSWERS,
  );
}

/** The real service over a sample agent that asks for this command, and a phone on its queue. */
async function start(): Promise<void> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "panewatch-allowed-")));
  lab.closes(() => rm(home, { recursive: true, force: true }));
  folder = join(home, "shop");
  const state = join(home, "state");
  for (const each of [folder, state]) await mkdir(each, { mode: 0o700 });
  await Bun.write(join(state, ANSWERED_FILE), JSON.stringify(fourAnswers(folder)));
  const configPath = join(state, "panewatch.yaml");
  await Bun.write(configPath, "naming_mode: window\npoll_interval: 0.2\n");
  await chmod(configPath, 0o600);
  const tmux = await lab.tmux();
  // A program is recognised by the name that it runs under.
  const program = join(home, "claude-demo");
  await symlink(process.execPath, program);
  const sample = [program, DEMO_ENTRY, "demo-pane", "permission", PACE, home];
  await tmux.command("new-window", "-d", "-t", "main:", "-c", folder, "-n", "checkout", ...sample);
  ({ url } = await lab.service({ tmux, configPath }));
  ({ page } = await lab.page(PHONE));
  await page.goto(`${url}/#/queue`);
}

const hint = () => page.getByRole("listitem").filter({ hasText: "never refused" });

test("a question that was always allowed is told with the exact setting, copied, and put away for good", async () => {
  await start();
  const card = page.locator("article", { hasText: COMMAND });
  await card.waitFor();
  expect(await hint().count()).toBe(0);
  await calm(page);
  await card.getByRole("option").first().tap();
  await card.getByText(/, confirmed$/).waitFor();
  await calm(page);
  await page.getByRole("link", { name: /^Active/ }).tap();
  await page.waitForFunction(() => location.hash === "#/active");
  await page.getByRole("link", { name: /Queue$/ }).tap();

  await hint().getByText(COMMAND, { exact: true }).waitFor();
  await hint()
    .getByText(/^Allowed 5 times from here since .+, never refused\.$/)
    .waitFor();
  await hint().getByText(`${folder}/.claude/settings.local.json`).waitFor();
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await calm(page);
  await hint().getByRole("button", { name: "Copy setting" }).tap();
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), `"Bash(${COMMAND})"`);

  await hint().getByRole("button", { name: "Not this one" }).tap();
  await becomes(() => hint().count(), 0);
  expect(AnsweredState.parse(await send(url, "GET", "/api/answered"))).toEqual({ questions: [] });
});

it("who may only look can copy the setting and put nothing away", async () => {
  const setting = { file: ".claude/settings.local.json", rule: "Bash(git status)" };
  const question = { id: "q", folder: "/code", command: "git status", count: 5, since: 1, last: 1 };
  ({ page } = await openFixture(lab, {
    viewport: PHONE,
    prepare: (server) => {
      const { _info } = server.config;
      const capabilities = { ..._info.capabilities, answered_v1: { version: 1 } };
      server.config = { ...server.config, _info: { ..._info, capabilities, access: "read" } };
      server.replies["/api/answered"] = () => ({ questions: [{ ...question, setting }] });
    },
  }));
  await hint().getByRole("button", { name: "Copy setting" }).waitFor();
  expect(await hint().getByRole("button").count()).toBe(1);
});
