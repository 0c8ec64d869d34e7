import { beforeEach, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { Asker } from "../support/asker.ts";
import { PHONE } from "../support/browser.ts";
import { calm } from "../support/calm.ts";
import type { LiveService } from "../support/live-service.ts";
import type { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { PageLab } from "../support/page-lab.ts";

const lab = PageLab.ofFile();
let tmux: PrivateTmux;
let service: LiveService;
let folder: string;
let asker: Asker;
let page: Page;
/** Of the page, as the server has told it. */
let sid: Promise<string>;

beforeEach(async () => {
  folder = await mkdtemp(join(lab.scratch, "journey-"));
  tmux = await lab.tmux();
  asker = new Asker(folder);
  await tmux.open(asker.command);
  service = await lab.service({ tmux });
  ({ page } = await lab.page(PHONE));
  sid = page.waitForEvent("websocket").then(async (socket) => {
    const hello = await socket.waitForEvent("framereceived", {
      predicate: ({ payload }) => String(payload).includes('"hello"'),
    });
    return JSON.parse(String(hello.payload)).sid;
  });
  await page.goto(service.url);
});

const option = (name: RegExp) => page.getByRole("option", { name });

async function cardShows(step: number): Promise<void> {
  await page.getByText(`make step-${step}`).waitFor();
}

const cardSettles = () => calm(page);

test("a real pane asks, a tap answers with exactly one key, and the card goes", async () => {
  await cardShows(1);
  await cardSettles();
  await option(/^1 Yes\b/).tap();
  const arrivals = await until(() => (asker.arrivals.length > 0 ? asker.arrivals : null));
  expect(arrivals).toEqual([{ question: 1, data: "1" }]);
  await page.getByText("Nothing needs you").waitFor();
  expect(asker.arrivals).toEqual([{ question: 1, data: "1" }]);
  // Its line in the log names the session of the page that did it.
  const actions = service.log.flatMap(
    (line) => /action: select .*\((\w+)\) at/.exec(line)?.[1] ?? [],
  );
  expect(actions).toEqual([await sid]);
});

test("two browsers answer at once: the program gets one answer, the other reader learns of it", async () => {
  const other = await lab.page(PHONE);
  await other.page.goto(service.url);
  await cardShows(1);
  await other.page.getByText("Run step 1").waitFor();
  await Promise.all([cardSettles(), calm(other.page)]);
  // Both stand before the first is clicked: its answer takes the other away.
  const both = await Promise.all([
    option(/^1 Yes\b/).elementHandle(),
    other.page.getByRole("option", { name: /^3 No\b/ }).elementHandle(),
  ]);
  await Promise.all(both.map((each) => each?.dispatchEvent("click")));
  await until(() => (asker.arrivals.length > 0 ? true : null));
  for (const { page: one } of [{ page }, other])
    await one
      .getByText(/^Nothing needs you|Not sent/)
      .first()
      .waitFor();
  expect(asker.arrivals).toEqual([{ question: 1, data: expect.stringMatching(/^[13]$/) }]);
});
