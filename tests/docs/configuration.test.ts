import { expect, test } from "bun:test";
import { join } from "node:path";
import { CONFIG_KEYS } from "../../src/config/fields.ts";
import { renderReference } from "./configuration.ts";

const PAGE = join(import.meta.dir, "../../docs/configuration.md");

test("docs/configuration.md is what the table of settings says (bun tests/docs/configuration.ts)", async () => {
  expect(await Bun.file(PAGE).text()).toBe(renderReference());
});

test("every setting has its row, once", () => {
  const page = renderReference();
  for (const key of CONFIG_KEYS) expect(page.split(`\n| \`${key}\``)).toHaveLength(2);
});
