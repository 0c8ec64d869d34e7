import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { withRecord } from "../support/fixture-record.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { sheet } from "./scene.ts";

const lab = PageLab.ofFile();
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

test("an owner sees who is let in, changes what one may do, reads what it did, and removes it", async () => {
  const { page, server } = await openFixture(lab, { prepare: (server) => withRecord(server) });
  const sent = () =>
    server.requests
      .filter(({ method, path }) => method !== "GET" && path.startsWith("/api/"))
      .map(({ method, path, body }) => [method, path, body]);
  server.replies["/api/phone/token"] = () => ({ token: "another" });
  await page.getByRole("button", { name: "Settings" }).tap();
  await page.getByRole("button", { name: /^Phone and alerts/ }).tap();
  await page.getByRole("button", { name: /^Devices/ }).tap();
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
  // The page is a device of its own: the token of others is not for it to keep.
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain("another");
});

test("that no new token was made for a device that is gone is told", async () => {
  const { page, server } = await openFixture(lab, { prepare: (server) => withRecord(server) });
  server.hook = ({ path }) =>
    path === "/api/phone/token"
      ? Response.json({ detail: "disk full" }, { status: 507 })
      : undefined;
  await sheet("settings-device", "tab")(page);
  await page.getByRole("button", { name: "Remove" }).tap();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).tap();
  await page.getByText("No token was made: disk full").waitFor();
});

it("what a device may do is chosen before its code is shown", async () => {
  const { page, server } = await openFixture(lab, {
    prepare: (server) => withRecord(server),
    viewport: DESK,
  });
  await sheet("settings-devices")(page);
  await page.getByRole("button", { name: "Let in another device" }).click();
  await page.getByRole("radio", { name: "Look" }).click();
  await page.getByText("It sees everything and sends nothing.").waitFor();
  expect(server.requests.some(({ path }) => path === "/api/pair/codes")).toBe(false);
  await page.getByRole("button", { name: "Show its code" }).click();
  await page.getByRole("img", { name: /^QR code of/ }).waitFor();
  const asked = server.requests.find(({ path }) => path === "/api/pair/codes");
  expect(asked?.body).toEqual({ scope: "look" });
});

it("who is no owner sees itself alone, and can sign out", async () => {
  const server = lab.server();
  withRecord(server, null);
  const page = await lab.open(`${server.url}?token=ipad`);
  await page.getByText("Live", { exact: true }).first().waitFor();
  await sheet("settings-devices")(page);
  await page.getByText("may answer").waitFor();
  await page.getByText("this device").waitFor();
  expect(await page.getByText("Pixel 9").count()).toBe(0);
  expect(await page.getByRole("button", { name: /Let in another|Record|Remove/ }).count()).toBe(0);
  await page.getByRole("button", { name: "Sign out" }).tap();
  await page.getByRole("button", { name: "Sign out now" }).tap();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  const left = server.requests.filter(({ path }) => path === "/api/grants/self").at(-1);
  expect(left?.method).toBe("DELETE");
});

it("the record says what was done, by whom, and what became of it; a line leads to its pane", async () => {
  const { page } = await openFixture(lab, { prepare: (server) => withRecord(server) });
  await page.getByRole("link", { name: "All" }).tap();
  await page.getByRole("button", { name: "Record" }).tap();
  const lines = page.getByRole("listitem");
  const line = (text: string) => lines.filter({ hasText: text });
  await line("Yes to pnpm prisma migrate deploy").getByText("Pixel 9 · confirmed").waitFor();
  await line("Yes to npm run sync").getByText("not sent: it asked something else").waitFor();
  await line("Text of 118 characters").getByText("may have arrived").waitFor();
  await line("Broadcast to 3 panes")
    .getByText(/3 sent$/)
    .waitFor();
  await line("Wall display was let in, may look").getByText("by Firefox on Linux").waitFor();
  await line("4 refused sign-ins").getByText("from 192.168.1.77").waitFor();

  await page.getByRole("combobox", { name: "Every kind" }).selectOption("Stop");
  await becomes(() => lines.count(), 1);
  expect(new URL(page.url()).hash).toBe("#/record?kind=stop");
  await page.getByRole("link", { name: /^Stop/ }).tap();
  await page.getByRole("main", { name: "list-endpoints" }).waitFor();
  await page.goBack();
  await becomes(() => lines.count(), 1);
  await page.getByRole("button", { name: "All" }).tap();
  await page.getByRole("searchbox").waitFor();
});

it("at the desk the record is a table, beside it whose acts it shows; keys walk through it", async () => {
  const { page, server } = await openFixture(lab, {
    prepare: (server) => withRecord(server),
    viewport: DESK,
  });
  await page.goto(`${server.url}#/record`);
  const rows = page.getByRole("row").filter({ has: page.getByRole("cell") });
  await becomes(() => rows.count(), 11);
  const first = rows.first();
  expect(await first.getByRole("cell").allInnerTexts()).toEqual([
    expect.stringMatching(/^\d\d:\d\d$/),
    "Yes to pnpm prisma migrate deploy",
    "checkout-migration",
    "Pixel 9",
    "confirmed",
  ]);
  // What is sent meanwhile is asked for by itself.
  const asked = () => server.requests.filter(({ path }) => path === "/api/acts").length;
  const before = asked();
  server.change("%12", {
    act: {
      ...{ key: "k", pane_id: "%12", target: "api:12.1", kind: "select", label: "No" },
      ...{
        about: null,
        by: { grant: "firefox", name: "Firefox on Linux" },
        at: 1,
        state: "sent",
        reason: null,
      },
    },
  });
  await becomes(() => asked() > before, true);
  await page.getByRole("link", { name: /^iPad/ }).click();
  await becomes(() => rows.count(), 2);
  // Red is what was not sent, and nothing else.
  const colourOf = (text: string) =>
    page
      .getByRole("cell", { name: text })
      .first()
      .evaluate((cell) => getComputedStyle(cell).color);
  expect(await colourOf("not sent: it asked something else")).not.toBe(await colourOf("iPad"));
  await page
    .getByRole("combobox", { name: "Every pane" })
    .selectOption({ label: "list-endpoints" });
  await becomes(() => rows.count(), 1);
  expect(new URL(page.url()).hash).toBe("#/record?pane=%2515&by=ipad");
  await page.keyboard.press("Escape");
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("main", { name: "list-endpoints" }).waitFor();
});

it("a finger has the whole cell of a line in the table", async () => {
  const viewport = { ...DESK, touch: true };
  const { page } = await openFixture(lab, { prepare: (server) => withRecord(server), viewport });
  await page.goto(`${page.url().split("#")[0]}#/record`);
  const links = page.getByRole("row").getByRole("link");
  await links.first().waitFor();
  const heights = await links.evaluateAll((all) =>
    all.map((link) => link.getBoundingClientRect().height),
  );
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
});
