import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { tapCalmly } from "../support/calm.ts";
import { openFixture } from "../support/fixture-page.ts";
import { uploadedImage } from "../support/fixture-replies.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

/** One grey pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
  "base64",
);
const PICTURE = { name: "shot.png", mimeType: "image/png", buffer: PNG };
const PATH = uploadedImage().terminal_text;

const lab = PageLab.ofFile();
let server: FixtureServer;
let page: Page;

beforeEach(async () => {
  ({ page, server } = await openFixture(lab, { hash: "#/pane/%2514" }));
  await field().waitFor();
});

const field = () => page.getByRole("textbox", { name: "Message query-planner" });
const chips = () => page.getByRole("list", { name: "Attached images" }).getByRole("listitem");
const send = () => page.getByRole("button", { name: "Send", exact: true });
const texts = () => server.actions.map(({ body }) => body["text"]);

async function pick(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  await page.getByRole("button", { name: "Attach or insert" }).tap();
  await page.locator("input[type=file][multiple]").setInputFiles(file);
}

test("an attached image is part of the draft, and is sent once as its path after the text", async () => {
  await pick(PICTURE);
  await chips().getByText("Goes with the message").waitFor();
  await page.waitForFunction(() => JSON.stringify(localStorage).includes("5f4f.png"));
  await page.reload();
  await chips().getByText("shot.png").waitFor();
  await field().fill("look at");
  await tapCalmly(send());
  await chips().waitFor({ state: "detached" });
  expect(texts()).toEqual([`look at ${PATH}`]);
  await becomes(() => field().inputValue(), "");
});

test("Send within the shield sends nothing and says so, the next tap sends", async () => {
  await field().fill("look at");
  // In one task of the page: a slow machine would miss the shield.
  await page.evaluate(() => {
    history.pushState({ depth: 1 }, "");
    dispatchEvent(new PopStateEvent("popstate"));
    document.querySelector<HTMLElement>("button.send")?.click();
  });
  await page.getByText("Not sent: the screen has just changed. Send it again.").waitFor();
  expect(texts()).toEqual([]);
  expect(await field().inputValue()).toBe("look at");
  await tapCalmly(send());
  await becomes(() => field().inputValue(), "");
  expect(texts()).toEqual(["look at"]);
});

it("images can be pasted and dropped; pasted text stays text, a snippet is inserted", async () => {
  const give = (type: "paste" | "drop", withText: boolean) =>
    field().evaluate(
      (element, given) => {
        const data = new DataTransfer();
        const bytes = Uint8Array.from(atob(given.png), (c) => c.charCodeAt(0));
        data.items.add(new File([bytes], `${given.type}.png`, { type: "image/png" }));
        if (given.withText) data.setData("text/plain", "a cell");
        const init = { bubbles: true, cancelable: true };
        element.dispatchEvent(
          given.type === "paste"
            ? new ClipboardEvent("paste", { ...init, clipboardData: data })
            : new DragEvent("drop", { ...init, dataTransfer: data }),
        );
      },
      { type, withText, png: PNG.toString("base64") },
    );
  await give("paste", true);
  await give("paste", false);
  await chips().getByText("paste.png").waitFor();
  await give("drop", false);
  await chips().getByText("drop.png").waitFor();
  await becomes(() => chips().count(), 2);
  await page.getByRole("button", { name: "Attach or insert" }).tap();
  // New snippet stands above all snippets, so the menu need not be scrolled.
  const box = (name: string) => page.getByRole("button", { name, exact: true }).boundingBox();
  await becomes(async () => {
    const [fresh, first] = [await box("New snippet"), await box("continue")];
    return (fresh?.y ?? 0) + (fresh?.height ?? 0) <= (first?.y ?? 0) + 1;
  }, true);
  await page.getByRole("button", { name: "run the tests" }).tap();
  await becomes(() => field().inputValue(), "run the tests");
  expect(texts()).toEqual([]);
});

it("a refused image shows the reason on its chip, and the text is kept", async () => {
  await field().fill("look at");
  for (const [status, words] of [
    [404, "This server takes no images."],
    [413, "Larger than 20 MiB."],
    [415, "Only PNG, JPEG, WebP and GIF."],
    [507, "The server has no room for images now."],
  ] as const) {
    server.refuse("/api/images", "no", status);
    await pick(PICTURE);
    await chips().getByText(words).waitFor();
    if (status === 507) continue;
    await page.getByRole("button", { name: "Remove shot.png" }).tap();
    await chips().waitFor({ state: "detached" });
  }
  const upload = server.hold("/api/images");
  await page.getByRole("button", { name: "Retry shot.png" }).tap();
  // Nothing is sent while an image is being uploaded.
  await page.getByText("An image is still on its way.").waitFor();
  expect(await send().isDisabled()).toBe(true);
  await field().press("Control+Enter");
  upload.reply(uploadedImage());
  await chips().getByText("Goes with the message").waitFor();
  expect(texts()).toEqual([]);
  expect(await field().inputValue()).toBe("look at");
  const uploads = () => server.asked("/api/images").length;
  const before = uploads();
  await pick({ name: "IMG_1.HEIC", mimeType: "image/heic", buffer: Buffer.from("no picture") });
  await chips().getByText("This browser cannot read HEIC.").waitFor();
  expect(uploads()).toBe(before);
});
