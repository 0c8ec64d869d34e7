import { beforeEach, describe, expect, test } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { PHONE, type Viewport } from "../support/browser.ts";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
});

async function open(size: Viewport = PHONE): Promise<Page> {
  const { page } = await lab.page(size);
  await page.goto(`${server.url}#/queue`);
  await page.getByRole("radio", { name: "Collect answers" }).click();
  return page;
}

const cardOf = (page: Page, name: string) => page.locator("article", { hasText: name });
/**
 * Chooses once the page has stood still: a tap that follows at once was meant for what stood there
 * before. Where the page still moves it is refused, and tapped again as a person would.
 */
async function choose(
  page: Page,
  card: string,
  name: string | RegExp,
  isChosen = true,
): Promise<void> {
  const radio = cardOf(page, card).getByRole("radio", { name, exact: true });
  await becomes(async () => {
    await calm(page);
    await radio.click();
    return radio.isChecked();
  }, isChosen);
}
/** Presses as a person would, again where the page still moved, until what it opens is there. */
async function opens(page: Page, pressed: Locator, opened: Locator): Promise<void> {
  await becomes(async () => {
    await calm(page);
    if (!(await opened.isVisible())) await pressed.click();
    await calm(page);
    return opened.isVisible();
  }, true);
}
async function send(page: Page): Promise<void> {
  await calm(page);
  await page.getByRole("button", { name: /^Send \d/ }).click();
}
const says = (page: Page, text: string) => page.getByText(text).first().waitFor();

describe("prompts of panes, without any workspace", () => {
  const selects = () => server.requests.filter(({ path }) => path === "/api/select");
  const targets = () => selects().map(({ body }) => body["id"]);
  const idOf = (name: string) => server.panes.find((pane) => pane.name === name)?.id ?? "";

  test("are chosen first, and sent one after another under what was seen", async () => {
    const page = await open();
    await says(page, "Nothing chosen");
    expect(await page.locator("article").getByRole("radio", { checked: true }).count()).toBe(0);
    await choose(page, "list-endpoints", /^Cursor/);
    await choose(page, "session-rotation", "Yes");
    await says(page, "2 chosen");
    expect(selects()).toEqual([]);
    await send(page);
    await says(page, "2 sent");
    // In the order of the list, which is that of waiting.
    expect(targets()).toEqual([idOf("session-rotation"), idOf("list-endpoints")]);
    // Back to answering.
    expect(await page.locator("article").getByRole("radio").count()).toBe(0);
  });

  test("a second tap leaves open; back to answering, the choices and the bar stay", async () => {
    const page = await open();
    await choose(page, "session-rotation", "Yes");
    await choose(page, "list-endpoints", /^Cursor/);
    await choose(page, "list-endpoints", /^Cursor/, false);
    await says(page, "1 chosen");
    await calm(page);
    await page.getByRole("radio", { name: "Answer now" }).click();
    await cardOf(page, "session-rotation").getByRole("option").first().waitFor();
    await page.getByRole("button", { name: "Send 1" }).waitFor();
    expect(selects()).toEqual([]);
  });

  test("one that asks something else now loses its choice, and gets nothing", async () => {
    const page = await open();
    await choose(page, "session-rotation", "Yes");
    await choose(page, "list-endpoints", /^Cursor/);
    const { id } = server.panes.find(({ name }) => name === "list-endpoints") ?? { id: "" };
    server.change(id, { question: "Which pagination now?" });
    await cardOf(page, "list-endpoints").getByText("It asks something else now.").waitFor();
    await send(page);
    await says(page, "1 sent");
    expect(targets()).toEqual([idOf("session-rotation")]);
  });

  test("own words are chosen like an option, kept while they are written, and sent with it", async () => {
    const page = await open();
    const card = cardOf(page, "list-endpoints");
    const own = card.getByRole("radio", { name: /^Type something/ });
    const field = card.getByRole("textbox", { name: "Your own words" });
    await opens(page, own, field);
    await field.fill("Cursor, with a page limit of 50");
    await card.getByRole("textbox").press("Escape");
    await says(page, "Nothing chosen");
    await calm(page);
    await own.click();
    const choosing = card.getByRole("button", { name: "Choose", exact: true });
    await choosing.waitFor();
    await calm(page);
    await choosing.click();
    await says(page, "1 chosen");
    await card.getByText("Cursor, with a page limit of 50").waitFor();
    expect(selects()).toEqual([]);
    await send(page);
    await says(page, "1 sent");
    expect(selects().map(({ body }) => [body["key"], body["text"]])).toEqual([
      ["4", "Cursor, with a page limit of 50"],
    ]);
  });

  test("a dangerous one is asked once more when it is chosen, and not when it is sent", async () => {
    const page = await open();
    const card = cardOf(page, "checkout-migration");
    const grant = card.getByRole("radio", { name: /don't ask again/ });
    await opens(page, grant, card.getByRole("alertdialog"));
    await says(page, "Nothing chosen");
    await calm(page);
    await card.getByRole("button", { name: "Allow always" }).click();
    await says(page, "1 chosen");
    await send(page);
    await says(page, "1 sent");
    expect(selects().map(({ body }) => body["key"])).toEqual(["p"]);
  });
});
