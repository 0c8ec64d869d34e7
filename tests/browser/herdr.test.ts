import { beforeEach, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { becomes } from "../support/becomes.ts";
import { PHONE } from "../support/browser.ts";
import { calm, tapCalmly } from "../support/calm.ts";
import type { LiveService } from "../support/live-service.ts";
import { wspStage, type WspStage } from "../support/wsp/provider.ts";
import { composer, permission, runAgent } from "../support/wsp/watched.ts";
import type { Pane } from "../support/wsp/world.ts";
import { PageLab } from "../support/page-lab.ts";

const ASKED = "Do you want to proceed?";

const lab = PageLab.ofFile();
let stage: WspStage;
let service: LiveService;
let page: Page;
let pane: Pane;
/** Of what the page sent; without a reply in time it asks again, under the same key. */
const paths = new Set<string>();

beforeEach(async () => {
  stage = await wspStage();
  lab.closes(() => stage[Symbol.asyncDispose]());
  runAgent(stage, permission(ASKED), "blocked");
  const [first] = stage.world.panes;
  if (first === undefined) throw new Error("no pane");
  pane = first;
  pane.program = (_, bytes) => {
    if (!/[123\r\x1b]/.test(bytes)) return;
    pane.screen.show(composer());
    stage.world.setState(pane, "idle");
  };
  const { provider } = stage;
  service = await lab.service({
    flags: { "terminal.provider": "wsp", "terminal.wsp.session": "demo" },
    multiplexer: () => ({ provider, mux: null }),
  });
  ({ page } = await lab.page(PHONE));
  paths.clear();
  page.on("request", (request) => {
    if (request.method() === "POST") paths.add(new URL(request.url()).pathname);
  });
  await page.goto(service.url);
  await page.getByRole("heading", { name: ASKED }).waitFor();
  await calm(page);
});

const yes = () => page.getByRole("option").first();

test("panes of a lost session are read only; once it is back, an answer under a blinking mark arrives once, by guarded input", async () => {
  const lost = stage.double.session().fail("close", { times: Infinity });
  // One alert above all panes, with the command to run.
  const alert = page.getByRole("alert");
  await alert.getByText("herdr cannot be read").waitFor();
  await alert.getByText(/herdr status --session demo/).waitFor();
  expect(await yes().getAttribute("aria-disabled")).toBe("true");
  lost.times = 0;
  await becomes(() => yes().getAttribute("aria-disabled"), "false");

  pane.animate([permission(ASKED, 1, "●"), permission(ASKED, 1, " ")], 200);
  pane.program = () => {
    pane.still();
    pane.screen.show(composer());
    stage.world.setState(pane, "idle");
  };
  await tapCalmly(yes());
  await becomes(() => pane.received, "1");
  await page.getByText("Nothing needs you").waitFor();
  expect(pane.received).toBe("1");
  expect([...paths]).toEqual(["/api/input"]);
});
