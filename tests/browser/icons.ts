// Draws the pictures of the installed app from their SVG sources:
//
//   bun tests/browser/icons.ts      after a change of web/icons/*.svg; commit the result
import { join } from "node:path";
import type { Page } from "playwright-core";
import { launchChromium } from "../support/browser.ts";

export const ICONS_FOLDER = join(import.meta.dir, "..", "..", "web", "icons");

/** Picture -> its source and its side in pixels. iOS rounds the corners itself. */
export const PICTURES = {
  "icon-192.png": { source: "icon.svg", side: 192 },
  "icon-512.png": { source: "icon.svg", side: 512 },
  "icon-maskable-512.png": { source: "icon-maskable.svg", side: 512 },
  "apple-touch-icon.png": { source: "icon-maskable.svg", side: 180 },
  "favicon-32.png": { source: "icon.svg", side: 32 },
} as const;

/** The picture as PNG, with what the source leaves empty transparent. */
export async function drawIcon(page: Page, source: string, side: number): Promise<Uint8Array> {
  const svg = await Bun.file(join(ICONS_FOLDER, source)).text();
  const url = `data:image/svg+xml;base64,${btoa(svg)}`;
  const png = await page.evaluate(
    async ({ url, side }) => {
      const image = new Image(side, side);
      image.src = url;
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = canvas.height = side;
      canvas.getContext("2d")?.drawImage(image, 0, 0, side, side);
      return canvas.toDataURL("image/png").split(",")[1] ?? "";
    },
    { url, side },
  );
  return Uint8Array.fromBase64(png);
}

if (import.meta.main) {
  const browser = await launchChromium();
  const page = await browser.newPage();
  for (const [name, { source, side }] of Object.entries(PICTURES))
    await Bun.write(join(ICONS_FOLDER, name), await drawIcon(page, source, side));
  await browser.close();
}
