import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { PHONE } from "../support/browser.ts";
import type { LiveService } from "../support/live-service.ts";
import { PageLab } from "../support/page-lab.ts";
import { fakeTailscale, type FakeTailscale } from "../support/tailscale.ts";
import { until } from "../support/until.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
const DESK = { width: 1440, height: 900 };
const path = process.env.PATH ?? "";
let tailscale: FakeTailscale;
let service: LiveService;

beforeEach(async () => {
  tailscale = await fakeTailscale(await mkdtemp(join(lab.scratch, "phone-")));
  process.env.PATH = `${tailscale.folder}:${path}`;
  service = await lab.service({ tmux: await lab.tmux() });
});
afterEach(() => {
  process.env.PATH = path;
});

test("a desk makes a token, shows a code once a phone can reach it, and lets a phone in and out", async () => {
  const desk = await lab.page(DESK);
  const other = await desk.context.newPage();
  await other.goto(service.url);
  await other.getByText("Live", { exact: true }).waitFor();
  await desk.page.goto(`${service.url}/#/phone`);
  await desk.page.getByText("It has no token").waitFor();
  const refuses = (times: number) =>
    desk.page.route(
      "**/api/phone/token",
      (route) => route.fulfill({ status: 409, json: { detail: "there is one" } }),
      { times },
    );
  await refuses(1);
  await desk.page.getByRole("button", { name: "Make a token" }).click();
  await desk.page.getByText("No token was made: there is one").waitFor();
  await desk.page.getByRole("button", { name: "Make a token" }).click();

  await desk.page.getByText("No phone can reach this address").waitFor();
  const command = await desk.page.locator(".checks code").innerText();
  const { port } = new URL(service.url);
  expect(command).toBe(`tailscale serve --bg ${port}`);
  // Another page of the same browser finds the token that was made, and goes on by itself.
  await other.reload();
  await other.getByText("Live", { exact: true }).waitFor();

  expect(await Bun.$`sh -c ${command}`.env({ PATH: process.env.PATH }).quiet()).toMatchObject({
    exitCode: 0,
  });
  await desk.page.getByRole("img", { name: `QR code of ${tailscale.url}/#pair=` }).waitFor();
  await desk.page.getByText("Nothing in the way").waitFor();
  const typed = desk.page.locator(".phone-under .mono");
  const code = await typed.innerText();

  const phone = await lab.page(PHONE);
  await phone.page.goto(service.url);
  await phone.page.getByRole("textbox", { name: "Code or token" }).fill(code.toLowerCase());
  await phone.page.getByRole("button", { name: "Sign in" }).click();
  await phone.page.getByRole("heading", { name: "Paired" }).waitFor();
  await phone.page.getByText(/now sees the agents on/).waitFor();
  await phone.page.getByRole("button", { name: "Open the queue" }).tap();
  await phone.page.getByText("Live", { exact: true }).waitFor();

  await desk.page.getByText(/has signed in\.$/).waitFor();
  await desk.page.waitForFunction(
    (before) => document.querySelector(".phone-under .mono")?.textContent !== before,
    code,
  );
  await desk.page.getByRole("button", { name: /^Devices/ }).click();
  const device = desk.page.getByRole("button", { name: /may type/ });
  await device.getByText("now, from this machine").waitFor();
  await device.getByText("let in by the token, today").waitFor();
  await device.click();
  // What it may do is changed under its hands.
  await phone.page.goto(`${service.url}/#/phone`);
  await phone.page.getByText(/^Only an owner lets devices in/).waitFor();
  await desk.page.getByRole("radio", { name: "Look" }).click();
  await phone.page.goto(`${service.url}/#/queue`);
  await phone.page.getByRole("region", { name: "You can look, not act" }).waitFor();
  await desk.page.getByRole("radio", { name: "Type" }).click();
  await phone.page
    .getByRole("region", { name: "You can look, not act" })
    .waitFor({ state: "detached" });
  await desk.page.getByRole("button", { name: "Remove" }).click();
  const asking = desk.page.getByRole("alertdialog", { name: /^Remove / });
  await asking.getByRole("checkbox", { name: /^Make a new token/ }).waitFor();
  const before = service.log.length;
  await asking.getByRole("button", { name: "Remove" }).click();
  await phone.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await until(() => service.log.slice(before).join("").includes("another token was made") || null);
  await device.waitFor({ state: "detached" });
  await desk.page.getByRole("button", { name: "Record" }).click();
  await desk.page.getByText(/was removed$/).waitFor();
  await desk.page.getByText(/was changed, may look$/).waitFor();
});

it("a page of this machine signs in with one tap after a token was made elsewhere", async () => {
  const page = await lab.open(`${service.url}/#/all`, DESK);
  await page.getByText("Live", { exact: true }).waitFor();
  await fetch(`${service.url}/api/phone/token`, { method: "POST" });
  await page.getByRole("button", { name: "Sign in on this machine" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/all");
});
