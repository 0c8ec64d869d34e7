import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { PHONE } from "../support/browser.ts";
import type { LiveService } from "../support/live-service.ts";
import { PageLab } from "../support/page-lab.ts";
import { fakeTailscale, type FakeTailscale } from "../support/tailscale.ts";

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
  await desk.page.getByText("It has no password").waitFor();
  await desk.page.getByRole("button", { name: "Make a token" }).click();

  await desk.page.getByText("No phone can reach this address").waitFor();
  const command = await desk.page.locator(".phone-checks code").innerText();
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
  const remove = desk.page.getByRole("button", { name: /^Remove / });
  await remove.waitFor();
  await desk.page.waitForFunction(
    (before) => document.querySelector(".phone-under .mono")?.textContent !== before,
    code,
  );
  await remove.click();
  await phone.page.getByRole("heading", { name: "Sign in" }).waitFor();
  await desk.page.getByText("No phone yet.").waitFor();
});

test("a page of this machine signs in with one tap after a token was made elsewhere", async () => {
  const { page } = await lab.page(DESK);
  await page.goto(`${service.url}/#/all`);
  await page.getByText("Live", { exact: true }).waitFor();
  await fetch(`${service.url}/api/phone/token`, { method: "POST" });
  await page.getByRole("button", { name: "Sign in on this machine" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  expect(new URL(page.url()).hash).toBe("#/all");
});

test("a code that was used or is wrong lets nobody in, and says so", async () => {
  const phone = await lab.page(PHONE);
  const made = await fetch(`${service.url}/api/phone/token`, { method: "POST" });
  expect(made.status).toBe(201);
  await phone.page.goto(service.url);
  await phone.page.getByRole("textbox", { name: "Code or token" }).fill("AAAA-BBBB");
  await phone.page.getByRole("button", { name: "Sign in" }).click();
  await phone.page.getByText("The server did not accept this.").waitFor();
});
