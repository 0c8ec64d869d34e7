import { expect, test } from "bun:test";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { limited, parkFleet } from "../support/fixture-parked.ts";
import { PageLab } from "../support/page-lab.ts";
import { until } from "../support/until.ts";

const lab = PageLab.ofFile();
/** Of this hour, so that the page's own clock agrees. */
const FREE_AT = Math.floor(Date.now() / 1000) + 2 * 3600;

test("what one limit holds is one group; a tap asks to go on, another one takes it back", async () => {
  const { server, page } = await openFixture(lab, {
    prepare: (fixture) => {
      parkFleet(fixture);
      for (const id of ["%14", "%35"]) fixture.change(id, limited("5-hour limit", FREE_AT));
    },
  });
  const group = page.locator(".parked-group", { hasText: "query-planner" });
  await group.waitFor();
  expect(await group.locator("h3").textContent()).toStartWith("Parked, free");
  expect(await group.getByRole("listitem").count()).toBe(2);
  await group.getByRole("link", { name: "query-planner" }).tap();
  const box = page.locator(".parked-box");
  await box.getByRole("heading", { name: "Parked: 5-hour limit" }).waitFor();
  const toggle = box.getByRole("switch", { name: "Continue then" });
  expect(await toggle.getAttribute("aria-checked")).toBe("false");
  await calm(page);
  await toggle.tap();
  await becomes(() => toggle.getAttribute("aria-checked"), "true");
  const asked = () => server.requests.filter(({ path }) => path === "/api/continue");
  expect(asked().map(({ body }) => body)).toEqual([
    { id: "%14", on: true, until: FREE_AT, text: "continue" },
  ]);
  await calm(page);
  await toggle.tap();
  await becomes(() => toggle.getAttribute("aria-checked"), "false");
  expect(asked().at(-1)?.body).toEqual({ id: "%14", on: false });
  expect(server.actions).toEqual([]);
});

test("what became of it is said, and what is refused as well", async () => {
  const { server, page } = await openFixture(lab, {
    viewport: DESK,
    prepare: (fixture) => {
      fixture.change("%14", limited("5-hour limit", FREE_AT));
      fixture.hook = ({ path }) =>
        path === "/api/continue"
          ? Response.json(
              { detail: { reason: "it tells another time now", code: "reset_changed" } },
              { status: 409 },
            )
          : undefined;
    },
  });
  await page.goto(`${server.url}#/pane/${encodeURIComponent("%14")}`);
  const box = page.locator(".inspector .parked-box");
  const toggle = box.getByRole("switch", { name: "Continue then" });
  await toggle.waitFor();
  await calm(page);
  await toggle.click();
  await page.getByText("Not changed: it tells another time now").first().waitFor();
  expect(await toggle.getAttribute("aria-checked")).toBe("false");
  const at = Math.floor(Date.now() / 1000);
  const fate = { state: "not_sent", at, text: "continue" } as const;
  server.change("%14", { continue_then: { ...fate, reason: "its screen had changed" } });
  await box.getByText("Not continued: its screen had changed").waitFor();
  const sent = { state: "sent", at, text: "continue", reason: null } as const;
  server.change("%14", { status: "working", evidence: [], parked: null, continue_then: sent });
  await box.getByText("Continued at").waitFor();
  await until(async () => (await box.getByRole("heading").count()) === 0);
});
