import { expect, test } from "bun:test";
import { join } from "node:path";
import { PHONE } from "../support/browser.ts";
import { PageLab } from "../support/page-lab.ts";
import { differingShare } from "../support/pixels.ts";
import { drawIcon, ICONS_FOLDER, PICTURES } from "./icons.ts";

/** Another Chromium may round a gradient or an edge differently. */
const ROUNDING = 24;
const lab = PageLab.ofFile();

test("every picture of the app is its source, drawn", async () => {
  const { page } = await lab.page(PHONE);
  const differing: [string, number][] = [];
  for (const [name, { source, side }] of Object.entries(PICTURES)) {
    const committed = await Bun.file(join(ICONS_FOLDER, name)).bytes();
    const drawn = await drawIcon(page, source, side);
    const share = await differingShare(page, committed, drawn, ROUNDING);
    if (share > 0) differing.push([name, share]);
  }
  expect(differing).toEqual([]);
});
