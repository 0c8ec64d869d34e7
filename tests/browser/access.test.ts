// What a person meets who has no pointer, reads by a screen reader, or sees with other colours.
import { expect, test } from "bun:test";
import { PageLab } from "../support/page-lab.ts";
import { SIZES } from "./scene.ts";

const lab = PageLab.ofFile();

test("in forced colours a field, a pressed button and the tab that is shown can be told", async () => {
  const server = lab.server();
  server.switchWorkspace(true);
  const { page } = await lab.page(SIZES.landscape, { forcedColors: "active" });
  await page.goto(`${server.url}#/pane/%2514`);
  const outline = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => getComputedStyle(element).outlineStyle);
  const pressed = ".low-tools [aria-pressed=true]";
  await page.locator(pressed).first().waitFor();
  expect(await outline(pressed)).toBe("solid");
  expect(await outline(".low-tools [aria-pressed=false]")).toBe("none");
  expect(await outline(".places [aria-current]")).toBe("solid");
  await page.getByRole("button", { name: "Keys and message" }).tap();
  await page.locator("[data-composer]").focus();
  expect(await outline("[data-composer]")).toBe("solid");
});

test("in the dark the key of the tab that is shown reads as its name does", async () => {
  const server = lab.server();
  server.switchWorkspace(true);
  const { page } = await lab.page({ ...SIZES.desktop, theme: "dark" });
  await page.goto(`${server.url}#/pane/%2514`);
  const hint = page.locator("[aria-current] kbd").first();
  await hint.waitFor();
  const [own, word] = await hint.evaluate((key) => {
    const tab = key.closest("[aria-current]") ?? key;
    return [getComputedStyle(key).color, getComputedStyle(tab).color];
  });
  expect(own).toBe(word ?? "");
});
