import { expect, test } from "bun:test";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { watchCopied } from "../support/copied.ts";
import { openFixture } from "../support/fixture-page.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
const COMMAND = "npm test -- --run checkout";
const RULE = `Bash(${COMMAND})`;
const QUESTION = {
  ...{ id: "q", folder: "/code/shop", command: COMMAND, count: 5 },
  since: Date.now() / 1000 - 4 * 86_400,
  last: Date.now() / 1000,
  setting: { file: "/code/shop/.claude/settings.local.json", rule: RULE },
};

/** A page whose server tells of a question that was always allowed, until it is put away. */
async function open(access: "all" | "read") {
  let questions = [QUESTION];
  const { page, server } = await openFixture(lab, {
    prepare: (fixture) => {
      const { _info } = fixture.config;
      const capabilities = { ..._info.capabilities, answered_v1: { version: 1 } };
      fixture.config = { ...fixture.config, _info: { ..._info, capabilities, access } };
      fixture.replies["/api/answered"] = () => ({ questions });
      fixture.replies["/api/answered/hide"] = ({ id }) => {
        questions = questions.filter((one) => one.id !== id);
        return { questions };
      };
    },
  });
  const hint = page.getByRole("listitem").filter({ hasText: "never refused" });
  await hint.getByText(COMMAND, { exact: true }).waitFor();
  return { page, server, hint };
}

test("a question that was always allowed is told with the exact setting, copied, and put away for good", async () => {
  const { page, server, hint } = await open("all");
  await hint.getByText(/^Allowed 5 times from here since .+, never refused\.$/).waitFor();
  await hint.getByText(QUESTION.setting.file).waitFor();
  const copied = await watchCopied(page);
  const copy = hint.getByRole("button", { name: "Copy setting" });
  // What comes into view with it takes its height a frame later: a tap before would land beside it.
  await copy.scrollIntoViewIfNeeded();
  await calm(page);
  await copy.tap();
  await becomes(copied, `"${RULE}"`);
  await hint.getByRole("button", { name: "Not this one" }).tap();
  await becomes(() => hint.count(), 0);
  await page.reload();
  await page.getByRole("option").first().waitFor();
  expect(await hint.count()).toBe(0);
  expect(server.actions).toEqual([]);
});

it("who may only look can copy the setting and put nothing away", async () => {
  const { hint } = await open("read");
  await hint.getByRole("button", { name: "Copy setting" }).waitFor();
  expect(await hint.getByRole("button").count()).toBe(1);
});
