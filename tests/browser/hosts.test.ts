import { expect, test } from "bun:test";
import { HostStepName } from "../../src/protocol/hosts.ts";
import { becomes } from "../support/becomes.ts";
import { calm, tapCalmly, taps } from "../support/calm.ts";
import { onThreeMachines } from "../support/fixture-hosts.ts";
import { openFixture } from "../support/fixture-page.ts";
import { uploadedImage } from "../support/fixture-replies.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";
import { tellsInPassing } from "../support/told.ts";
import { sheet } from "./scene.ts";

const lab = PageLab.ofFile();
const there = (server: FixtureServer) => onThreeMachines(server, null);
const away = (server: FixtureServer) => onThreeMachines(server);
const MESSAGE = "buildbox is away; nothing was sent.";
const DETAIL = { reason: "host_away", code: "host_away", host: "buildbox", message: MESSAGE };

test("machines come and go without a reload; a single machine shows and asks nothing; an answer and an image for an unreachable one are refused with the reason", async () => {
  const { page, server } = await openFixture(lab);
  await page.getByRole("link", { name: "All" }).tap();
  await page.getByText("docs-site").waitFor();
  expect(await page.locator(".host-chip, .host-heading").count()).toBe(0);
  expect(await page.getByRole("group", { name: "Filter by machine" }).count()).toBe(0);
  expect(server.requests.filter(({ path }) => path.startsWith("/api/hosts"))).toEqual([]);
  await page.getByRole("link", { name: /Queue/ }).tap();
  const chips = page.locator("article .host-chip");
  const { panes } = server;
  there(server);
  server.pass();
  await becomes(() => chips.allTextContents(), ["laptop", "laptop", "buildbox", "gpu-1"]);
  server.panes = panes;
  server.hosts = [];
  server.pass();
  await becomes(() => chips.count(), 0);

  there(server);
  server.pass();
  await becomes(() => chips.count(), 4);
  server.refuse("/api/select", DETAIL);
  const card = page.getByRole("article", { name: "checkout-migration" });
  await tapCalmly(card.getByRole("option", { name: /Yes, proceed/ }));
  await card.getByText("Its machine is away. Answers come back with it.").waitFor();

  // A pane is created on the machine of the pane beside it.
  await page.goto(`${server.url}#/pane/%2521`);
  await page.locator('[data-terminal="%21"]').waitFor();
  await page.keyboard.press("c");
  const machine = page.getByRole("combobox", { name: "Machine" });
  await becomes(() => machine.inputValue(), "buildbox");
  await page.keyboard.press("Escape");
  await machine.waitFor({ state: "detached" });

  const asked: string[] = [];
  server.replies["/api/images"] = (_, query) => {
    asked.push(query.get("id") ?? "");
    return uploadedImage();
  };
  await page.goto(`${server.url}#/pane/%2522`);
  await page.locator('[data-terminal="%22"]').waitFor();
  const picture = { name: "shot.png", mimeType: "image/png", buffer: Buffer.from("x") };
  const attach = async () => {
    await tapCalmly(page.getByRole("button", { name: "Attach or insert" }));
    await page.locator("input[type=file][multiple]").setInputFiles(picture);
  };
  await attach();
  await page.getByText("Goes with the message").waitFor();
  expect(asked).toEqual(["%22"]);
  server.refuse("/api/images", DETAIL);
  await attach();
  await page.getByText(`Not uploaded: ${MESSAGE}`).waitFor();
});

test("a card of an unreachable machine says since when, takes no answer, and Broadcast leaves its panes out", async () => {
  const { page, server } = await openFixture(lab, { prepare: away });
  const card = page.getByRole("article", { name: "checkout-migration" });
  await card.getByText("buildbox is away since").waitFor();
  expect(await card.getByText(/Next try .* Answers return with it\./).count()).toBe(1);
  await calm(page);
  await card.getByRole("option", { name: /Yes, proceed/ }).tap({ force: true });
  await card.getByRole("button", { name: "Retry: buildbox" }).tap();
  await becomes(
    () => server.requests.filter(({ method }) => method === "POST").map(({ path }) => path),
    ["/api/hosts/buildbox/retry"],
  );
  server.refuse("/api/hosts/buildbox/retry", "it is no longer watched");
  await tellsInPassing(page, "Not tried: it is no longer watched", () =>
    card.getByRole("button", { name: "Retry: buildbox" }).tap(),
  );

  await sheet("broadcast")(page);
  const box = page.getByRole("dialog", { name: "Broadcast" });
  await box.getByText("docs-site").waitFor();
  expect(await box.getByRole("checkbox", { name: /integration-tests/ }).count()).toBe(0);
  const out = box.locator(".row.off", { hasText: "integration-tests" });
  expect(await out.locator(".host-chip").textContent()).toBe("buildbox");
  await page.goto(`${server.url}#/pane/%2521`);
  await page.getByPlaceholder("Input is off").waitFor();
});

it("All groups panes by machine, filters by one, and the palette names it", async () => {
  const { page } = await openFixture(lab, { prepare: away });
  await page.getByRole("link", { name: "All" }).tap();
  const headings = page.locator(".host-heading .grow");
  await headings.first().waitFor();
  expect(await headings.allTextContents()).toEqual(["laptop", "buildbox", "gpu-1"]);
  await page.getByRole("button", { name: /^gpu-1/ }).tap();
  await becomes(() => headings.allTextContents(), ["gpu-1"]);
  expect(await page.locator("[data-row]").count()).toBe(1);
  const filters = page.getByRole("group", { name: "Filter by status" });
  expect(await filters.getByRole("button", { name: /^All/ }).textContent()).toBe("All1");
  await page.getByRole("button", { name: /^All machines/ }).tap();
  await page.getByLabel("Search 14 panes").fill("buildbox");
  await becomes(() => headings.allTextContents(), ["buildbox"]);
  await sheet("palette")(page);
  await page.getByRole("combobox").fill("checkout-migration");
  await page.getByRole("option").locator(".host-chip", { hasText: "buildbox" }).waitFor();
});

it("a machine is added after all checks, switched off, and removed after a confirmation", async () => {
  const { page, server } = await openFixture(lab, { prepare: there });
  const asked = () =>
    server.requests.flatMap(({ method, path }) =>
      method !== "GET" && path.startsWith("/api/hosts") ? `${method} ${path}` : [],
    );
  const stepsTo = (done: number) =>
    HostStepName.options
      .slice(0, done + 1)
      .map((step, n) => ({ step, ok: n < done, detail: null, ms: 3 }));
  let steps = stepsTo(2);
  server.replies["/api/hosts/check"] = () => ({ steps });
  server.hook = ({ method, path }) =>
    method !== "GET" && /^\/api\/hosts(\/gpu-1)?$/.test(path)
      ? Response.json({ ok: true })
      : undefined;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await sheet("settings-hosts")(page);
  await button("Add a machine").tap();
  await page.getByLabel("Name or address").fill("gpu-2");
  await button("Check").tap();
  await page.getByText("ssh gpu-2 true").waitFor();
  expect(await button("Add").isDisabled()).toBe(true);
  steps = stepsTo(HostStepName.options.length);
  await button("Try again").tap();
  await page.getByText("ready", { exact: true }).waitFor();
  // What was found out is of that address alone.
  await page.getByLabel("Name or address").fill("gpu-3");
  await becomes(() => page.locator(".checks").count(), 0);
  await page.getByLabel("Name or address").fill("gpu-2");
  await tellsInPassing(page, "gpu-2 is watched.", () => button("Add").tap());
  await page.getByRole("button", { name: /^gpu-1/ }).tap();
  await page.getByRole("switch", { name: "Watch it" }).tap();
  await taps(page, "Remove", "Cancel", "Remove", "Remove it");
  const check = "POST /api/hosts/check";
  const gpu = "/api/hosts/gpu-1";
  await becomes(asked, [check, check, "POST /api/hosts", `PATCH ${gpu}`, `DELETE ${gpu}`]);
});
