import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Act } from "../../src/protocol/act.ts";
import { audit } from "../support/audit.ts";
import { becomes } from "../support/becomes.ts";
import { PHONE, type Viewport } from "../support/browser.ts";
import { calm, taps } from "../support/calm.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { fixture } from "../support/fixture.ts";
import { withRecord } from "../support/fixture-record.ts";
import { phoneState } from "../support/fixture-replies.ts";
import { messageOf } from "../support/fixture-work.ts";
import type { LiveService } from "../support/live-service.ts";
import { PageLab } from "../support/page-lab.ts";
import { fakeTailscale, type FakeTailscale } from "../support/tailscale.ts";
import { rare as it } from "../support/thorough.ts";
import { until } from "../support/until.ts";
import { sheet } from "./scene.ts";

const lab = PageLab.ofFile();
const open = (options: { viewport?: Viewport; hash?: string } = {}) =>
  openFixture(lab, { prepare: (server) => withRecord(server), ...options });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

test("an owner lists devices, changes a scope, reads the record of one, and removes it", async () => {
  const { page, server } = await open();
  const sent = () =>
    server.requests
      .filter(({ method, path }) => method !== "GET" && path.startsWith("/api/"))
      .map(({ method, path, body }) => [method, path, body]);
  server.replies["/api/phone/token"] = () => ({ token: "another" });
  await taps(page, "Settings", /^Phone and alerts/, /^Devices/);
  const own = page.getByRole("button", { name: /^Pixel 9 this device ?owner/ });
  await own.getByText("now, from this machine").waitFor();
  await page.getByText("let in by Galaxy Tab", { exact: false }).waitFor();
  await page
    .getByRole("button", { name: /^Galaxy Tab ?may type/ })
    .getByText("from 192.168.1.31")
    .waitFor();
  await page.getByRole("button", { name: /^Galaxy Tab/ }).tap();
  const device = page.getByRole("dialog", { name: "Galaxy Tab" });
  await device.getByRole("radio", { name: "Answer" }).tap();
  await device.getByText("What is asked, by an option or in own words.").waitFor();
  expect(sent()).toEqual([["PATCH", "/api/grants/tab", { scope: "answer" }]]);
  await device.getByRole("radio", { name: "Type" }).tap();
  await device.getByText(/^Everything to panes/).waitFor();

  await device.getByRole("button", { name: "What it did" }).tap();
  await page.getByRole("heading", { name: "Record" }).waitFor();
  await page.getByText("Nothing was done").waitFor();
  expect(new URL(page.url()).hash).toBe("#/record?by=tab");
  await page.goBack();

  await device.getByRole("button", { name: "Remove" }).tap();
  const asking = page.getByRole("alertdialog", { name: /^Remove Galaxy Tab\?/ });
  await asking.waitFor();
  await becomes(() => focused(page), "Cancel");
  await page.keyboard.press("Enter");
  await becomes(() => focused(page), "Remove");
  await device.getByRole("button", { name: "Remove" }).tap();
  await asking.getByRole("checkbox", { name: "It let in: iPad; remove too" }).waitFor();
  await asking.getByRole("checkbox", { name: /^Make a new token/ }).waitFor();
  await asking.getByRole("button", { name: "Remove" }).tap();
  await page.getByRole("dialog", { name: "Devices" }).waitFor();
  await own.waitFor();
  expect(await page.getByText("iPad").count()).toBe(0);
  expect(sent().slice(2)).toEqual([
    ["DELETE", "/api/grants/tab", { also_let_in: true }],
    ["POST", "/api/phone/token", { renew: true }],
  ]);
  // A page that is a device of its own does not store the shared token.
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("another");
});

it("the address of a device opens its page, also after a reload; Back leads to the list, as does a removal, which says so when no new token could be made", async () => {
  const { page, server } = await open();
  const device = page.getByRole("dialog", { name: "Galaxy Tab" });
  await page.goto("about:blank");
  await page.goto(`${server.url}#/devices/tab`);
  await device.getByRole("radio", { name: "Type" }).waitFor();
  await page.reload();
  await device.getByRole("radio", { name: "Type" }).waitFor();
  await device.getByRole("button", { name: "Back to settings" }).tap();
  await page.getByRole("dialog", { name: "Devices" }).getByText("Galaxy Tab").first().waitFor();
  await page.goto(`${server.url}#/devices/tab`);
  server.refuse("/api/phone/token", "disk full", 507);
  await page.getByRole("button", { name: "Remove" }).tap();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).tap();
  await page.getByText("No token was made: disk full").waitFor();
  await page.goto(`${server.url}#/devices/tab`);
  await page.getByText("This device is not let in.").waitFor();
});

test("a device can be renamed while its scope is being changed", async () => {
  const { page, server } = await open();
  await sheet("settings-device", "tab")(page);
  const changes = server.hold("/api/grants/tab");
  const sent = () => server.asked("/api/grants/tab").map(({ body }) => body);
  await page.getByRole("radio", { name: "Answer", exact: true }).tap();
  await becomes(sent, [{ scope: "answer" }]);
  await page.getByRole("textbox", { name: "Name" }).fill("Kitchen");
  await page.keyboard.press("Enter");
  await becomes(sent, [{ scope: "answer" }, { name: "Kitchen" }]);
  // A device has a name: an empty one is taken back.
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill(" ");
  await name.press("Enter");
  await becomes(async () => (await name.inputValue()).trim() !== "", true);
  expect(sent()).toHaveLength(2);

  changes.reply({ detail: "busy" }, 409);
  await becomes(() => page.getByText("Not changed: busy").count(), 2);

  // The list is read again where it changed while it was read. What the server has counted is no
  // measure of that: of two lists that were read one after the other the first was broken off.
  const reads = (path: string) => page.waitForRequest((request) => request.url().endsWith(path));
  const held = server.hold("GET /api/grants");
  const first = reads("/api/grants");
  server.switchWorkspace(true);
  await first;
  const change = reads("/api/config");
  server.switchWorkspace(false);
  await (await (await change).response())?.finished();
  await calm(page);
  const again = reads("/api/grants");
  held.reply({ grants: [] });
  await again;
});

test("a device is removed only once it is known whether it could have read a token", async () => {
  const { page, server } = await open();
  await sheet("settings-device", "tab")(page);
  const phone = server.hold("GET /api/phone");
  await page.reload();
  const remove = page.getByRole("button", { name: "Remove" });
  await remove.waitFor();
  expect(await remove.isDisabled()).toBe(true);
  phone.reply(phoneState());
  await remove.tap();
  await page.getByRole("checkbox", { name: /^Make a new token/ }).waitFor();
  // Where that cannot be read it is removed all the same.
  server.lose("/api/phone");
  await page.reload();
  await becomes(() => remove.isEnabled(), true);
});

it("a device that gives up ownership stops asking for the other devices", async () => {
  const { page, server } = await open();
  await sheet("settings-device", "pixel")(page);
  await page.getByRole("radio", { name: "Type" }).tap();
  await becomes(() => server.asked("/api/grants").length > 1, true);
  // For as long as sixty requests take.
  for (let times = 0; times < 60; times++) await page.evaluate(() => fetch("/").then(String));
  expect(server.asked("/api/grants").length).toBeLessThan(10);
});

it("a device that is no owner sees only itself, and can sign out", async () => {
  const server = lab.server();
  withRecord(server, null);
  const page = await lab.open(`${server.url}?token=ipad`);
  await page.getByText("Live", { exact: true }).first().waitFor();
  await sheet("settings-devices")(page);
  await page.getByText("may answer").waitFor();
  await page.getByText("this device").waitFor();
  expect(await page.getByText("Pixel 9").count()).toBe(0);
  expect(await page.getByRole("button", { name: /Let in another|Record|Remove/ }).count()).toBe(0);
  await page.evaluate(() => (location.hash = "#/devices/tab"));
  await page.getByText("Only an owner sees the devices of others.").waitFor();
  await page.evaluate(() => (location.hash = "#/phone"));
  await page.getByText(/^Only an owner lets devices in/).waitFor();
  await page.goBack();
  await taps(page, "Back to settings", /^Sign out/, "Sign out now");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  // The page waits for no reply.
  await becomes(() => server.asked("/api/grants/self", "DELETE").length, 1);
});

it("at a desk the record is a table of act, device and outcome, for fingers and for keys", async () => {
  const { page, server } = await open({ viewport: { ...DESK, touch: true }, hash: "#/record" });
  const rows = page.getByRole("row").filter({ has: page.getByRole("cell") });
  await becomes(() => rows.count(), 11);
  const cells = () => rows.first().getByRole("cell").allInnerTexts();
  const [time, ...first] = await cells();
  expect(time).toMatch(/^\d\d:\d\d$/);
  expect(first).toEqual([
    ...["Yes to pnpm prisma migrate deploy", "checkout-migration", "Pixel 9", "confirmed"],
  ]);
  for (const [what, fate] of [
    ["Yes to npm run sync", "not sent: it asked something else"],
    ["Text of 118 characters", "may have arrived"],
    ["Broadcast to 3 panes", /3 sent$/],
    ["Wall display was let in, may look", "Firefox on Linux"],
    ["4 refused sign-ins", "192.168.1.77"],
  ] as const)
    await rows.filter({ hasText: what }).getByText(fate).waitFor();
  expect(await audit(page, true)).toEqual([]);
  // A new act is fetched without a reload.
  const before = server.asked("/api/acts").length;
  const by = { grant: "firefox", name: "Firefox on Linux" };
  const act = fixture(Act, { key: "k", pane_id: "%12", kind: "select", by, state: "sent" });
  server.change("%12", { act });
  await becomes(() => server.asked("/api/acts").length > before, true);
  await page.getByRole("link", { name: /^iPad/ }).click();
  await becomes(() => rows.count(), 2);
  // Only outcomes that were not sent are red.
  const colourOf = (text: string) => {
    const cell = page.getByRole("cell", { name: text }).first();
    return cell.evaluate((one) => getComputedStyle(one).color);
  };
  expect(await colourOf("not sent: it asked something else")).not.toBe(await colourOf("iPad"));
  const ofPane = page.getByRole("combobox", { name: "Every pane" });
  await ofPane.selectOption({ label: "list-endpoints" });
  await becomes(() => rows.count(), 1);
  expect(new URL(page.url()).hash).toBe("#/record?pane=%2515&by=ipad");
  await page.keyboard.press("Escape");
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("main", { name: "list-endpoints" }).waitFor();
});

test("a row of the record opens the chat of its pane at that time", async () => {
  const server = lab.server();
  const now = Date.now() / 1000;
  withRecord(server);
  server.switchWorkspace(true);
  const { page } = await openFixture(lab, { server });
  const { id } = server.agents.find("query-planner");
  const messages = Array.from({ length: 200 }, (_, i) =>
    messageOf(id, "assistant", `word ${i}`, now - 1990 + i * 10),
  );
  server.agents.setMessages("query-planner", messages);
  await page.goto(`${server.url}#/record`);
  await page.getByRole("link", { name: /npm test/ }).tap();
  await page.waitForFunction(() => location.hash.startsWith("#/pane/%2514/chat/"));
  // The act is 900 s old, and so is this message.
  const message = page.locator(".messages").getByText(/^word 10[89]$/);
  await message.first().waitFor();
  const isSeen = async () => {
    const box = await message.first().boundingBox();
    return box !== null && box.y > 0 && box.y < 844;
  };
  await becomes(isSeen, true);
});

describe("over the real service", () => {
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

  test("a desk makes a token, shows a pairing code, pairs a phone and removes it", async () => {
    const desk = await lab.page(DESK);
    await desk.page.goto(`${service.url}/#/phone`);
    await desk.page.getByText("It has no token").waitFor();
    await desk.page.route(
      "**/api/phone/token",
      (route) => route.fulfill({ status: 409, json: { detail: "there is one" } }),
      { times: 1 },
    );
    await desk.page.getByRole("button", { name: "Make a token" }).click();
    await desk.page.getByText("No token was made: there is one").waitFor();
    await desk.page.getByRole("button", { name: "Make a token" }).click();

    await desk.page.getByText("No phone can reach this address").waitFor();
    const command = await desk.page.locator(".checks code").innerText();
    const { port } = new URL(service.url);
    expect(command).toBe(`tailscale serve --bg ${port}`);
    // This browser has stored the token.
    await desk.page.reload();
    await desk.page.getByText("No phone can reach this address").waitFor();

    expect(await Bun.$`sh -c ${command}`.env({ PATH: process.env.PATH }).quiet()).toMatchObject({
      exitCode: 0,
    });
    await desk.page.getByRole("img", { name: `QR code of ${tailscale.url}/#pair=` }).waitFor();
    await desk.page.getByText("Nothing in the way").waitFor();
    await desk.page.getByText("It may type").waitFor();
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
    // Its scope and name are changed while its page is open.
    await desk.page.getByRole("radio", { name: "Look" }).click();
    const notice = phone.page.getByRole("region", { name: "You can look, not act" });
    await notice.waitFor();
    await sheet("settings-devices")(phone.page);
    await phone.page.getByText("may look").waitFor();
    await desk.page.getByRole("radio", { name: "Type" }).click();
    await phone.page.getByText("may type").waitFor();
    await notice.waitFor({ state: "detached" });
    await desk.page.getByRole("textbox", { name: "Name" }).fill("In the kitchen");
    await desk.page.keyboard.press("Enter");
    await phone.page.getByText("In the kitchen").waitFor();
    await desk.page.getByRole("button", { name: "Remove" }).click();
    const asking = desk.page.getByRole("alertdialog", { name: /^Remove / });
    await asking.getByRole("checkbox", { name: /^Make a new token/ }).waitFor();
    const before = service.log.length;
    await asking.getByRole("button", { name: "Remove" }).click();
    await phone.page.getByRole("heading", { name: "Sign in" }).waitFor();
    await until(
      () => service.log.slice(before).join("").includes("another token was made") || null,
    );
    await device.waitFor({ state: "detached" });
    await desk.page.getByRole("button", { name: "Record" }).click();
    await desk.page.getByText(/was removed$/).waitFor();
    await desk.page.getByText(/was changed, may look$/).waitFor();
  });

  it("a page on this machine signs in with one tap after a token was made elsewhere", async () => {
    const page = await lab.open(`${service.url}/#/all`, DESK);
    await page.getByText("Live", { exact: true }).waitFor();
    await fetch(`${service.url}/api/phone/token`, { method: "POST" });
    await page.route("**/api/pair", (route) => route.abort(), { times: 1 });
    const signIn = page.getByRole("button", { name: "Sign in on this machine" });
    await signIn.click();
    await page.getByText("The server cannot be reached. Try again in a moment.").waitFor();
    await signIn.click();
    await page.getByText("Live", { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe("#/all");
  });
});
