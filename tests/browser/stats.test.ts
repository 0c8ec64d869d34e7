import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { violations } from "../support/axe.ts";
import { NOW } from "../support/fixture-panes.ts";
import { openFixture, type FixturePage } from "../support/fixture-page.ts";
import { usageReply } from "../support/fixture-usage.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
let fixture: FixturePage;
let page: Page;

beforeEach(async () => {
  fixture = await openFixture(lab, {
    prepare: (server) => {
      server.now = NOW;
      server.config = { ...server.config, usage_enabled: true };
    },
  });
  ({ page } = fixture);
});

const open = () => page.getByRole("link", { name: "Stats" }).tap();
const panel = (name: string) => page.getByRole("region", { name });

test("the fleet is counted, quotas and days are drawn and told, and another browser is disconnected after one question", async () => {
  fixture.server.config = { ...fixture.server.config, usage_alert_threshold: 16 };
  await open();
  const counts = "14 panes, 6 sessions Waiting 3 Error 1 Working 5 Idle 3 Offline 1 Stale 1";
  const isCounted = async () =>
    (await panel("Fleet").innerText()).replace(/\s+/g, " ").includes(counts);
  await becomes(isCounted, true);
  // A quota says what is left, warns at the threshold and marks the passed time.
  const week = panel("Usage").getByRole("listitem").filter({ hasText: "Claude, Week" });
  await week.getByText("16% left").waitFor();
  await week.getByText("ahead of pace").waitFor();
  const meter = week.getByRole("meter", { name: "Claude, Week" });
  expect(await meter.getAttribute("aria-valuenow")).toBe("84");
  expect(await meter.getAttribute("aria-valuetext")).toBe("84% used, 61% of the time passed");
  expect(await week.getByText("Little is left").count()).toBe(1);
  const session = panel("Usage").getByRole("listitem").filter({ hasText: "Claude, 5 hours" });
  expect(await session.getByText("Little is left").count()).toBe(0);
  // No window is known from this label: no tick, no pace.
  const other = panel("Usage").getByRole("meter", { name: "Gemini, Requests" });
  expect(await other.getAttribute("aria-valuetext")).toBe("40% used");
  const history = panel("History");
  await history.getByRole("img", { name: "Days: 26 bars, the highest $14.00" }).waitFor();
  await history.getByRole("radio", { name: "Hours" }).tap();
  await history.getByRole("img", { name: /^Hours: 3 bars/ }).waitFor();
  await history.getByText("As a table").tap();
  const rows = async () =>
    (await history.getByRole("row").allInnerTexts()).map((row) => row.replace(/\s+/g, " ").trim());
  await becomes(rows, [
    "Time Cost Tokens Messages",
    "07:00 $2.00 620K 18",
    "08:00 $3.50 1.1M 32",
    "09:00 $5.00 1.6M 45",
  ]);

  const browsers = panel("Connected browsers").getByRole("listitem");
  const own = browsers.filter({ hasText: "This browser" });
  await own.waitFor();
  expect(await own.getByRole("button").count()).toBe(0);
  await page.getByRole("button", { name: "Disconnect Firefox on Linux" }).tap();
  expect(fixture.server.requests.some(({ path }) => path === "/api/sessions/kill")).toBe(false);
  await page.getByRole("button", { name: "Disconnect now" }).tap();
  await page.getByText("Firefox on Linux").waitFor({ state: "detached" });
  const kills = fixture.server.requests.filter(({ path }) => path === "/api/sessions/kill");
  expect(kills.map(({ body }) => body["id"])).toEqual([expect.any(String)]);
});

it("a panel fails alone, and Retry brings it back", async () => {
  fixture.server.hook = ({ path }) =>
    path === "/api/usage"
      ? Response.json({ detail: "internal error" }, { status: 500 })
      : undefined;
  await open();
  await panel("Usage").getByText("This could not be loaded: internal error").waitFor();
  await panel("Server").getByText("ready").waitFor();
  fixture.server.hook = () => undefined;
  // The last good value is hatched and says its time.
  fixture.server.replies["/api/usage"] = () => usageReply({ stale: true, fetched_at: NOW - 5400 });
  await panel("Usage").getByRole("button", { name: "Retry" }).tap();
  await panel("Usage").getByText("last good value 08:11").first().waitFor();
  await becomes(() => panel("Usage").getByRole("alert").count(), 0);
  const bar = panel("Usage").getByRole("meter").first().locator(".meter-bar");
  expect(await bar.getAttribute("fill")).toMatch(/^url\(#/);
});

it("usage is not there when it is switched off, and says why when the collector is missing", async () => {
  fixture.server.replies["/api/usage"] = () =>
    usageReply({ available: false, reason: "not_installed", quotas: [], today: null });
  await open();
  await panel("Usage").getByText("The usage collector is not installed on the server.").waitFor();
  fixture.server.config = { ...fixture.server.config, usage_enabled: false };
  await panel("Usage").waitFor({ state: "detached" });
  // On a low, wide screen what is left can be scrolled by keys.
  await page.setViewportSize({ width: 844, height: 390 });
  await panel("Server").waitFor();
  expect(await violations(page, ["scrollable-region-focusable"])).toEqual([]);
});
