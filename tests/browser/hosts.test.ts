import { expect, test } from "bun:test";
import { DESK, openFixture } from "../support/fixture-page.ts";
import { onThreeMachines } from "../support/fixture-hosts.ts";
import { uploadedImage } from "../support/fixture-replies.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { becomes } from "../support/becomes.ts";
import { calm } from "../support/calm.ts";
import { PageLab } from "../support/page-lab.ts";
import { sheet } from "./scene.ts";

const lab = PageLab.ofFile();
const there = (server: FixtureServer) => onThreeMachines(server, null);
const away = (server: FixtureServer) => onThreeMachines(server);

test("with one machine nothing of others is seen, and nothing is asked about them", async () => {
  const { page, server } = await openFixture(lab);
  await page.getByRole("link", { name: "All" }).tap();
  await page.getByText("docs-site").waitFor();
  expect(await page.locator(".host-chip, .host-heading").count()).toBe(0);
  expect(await page.getByRole("group", { name: "Filter by machine" }).count()).toBe(0);
  expect(server.requests.filter(({ path }) => path.startsWith("/api/hosts"))).toEqual([]);
});

test("machines that come and go are seen without a reload", async () => {
  const { page, server } = await openFixture(lab);
  const chips = page.locator("article .host-chip");
  const { panes } = server;
  there(server);
  server.pass();
  await chips.first().waitFor();
  expect(await chips.allTextContents()).toEqual(["laptop", "laptop", "buildbox", "gpu-1"]);
  server.panes = panes;
  server.hosts = [];
  server.pass();
  await becomes(() => chips.count(), 0);
});

test("a card of a machine that is away says since when and what is next, and takes no answer", async () => {
  const { page, server } = await openFixture(lab, { prepare: away });
  const card = page.getByRole("article", { name: "checkout-migration" });
  await card.getByText("buildbox is away since").waitFor();
  expect(await card.getByText(/Tried again .* Answers return with it\./).count()).toBe(1);
  await calm(page);
  await card.getByRole("option", { name: /Yes, proceed/ }).tap({ force: true });
  await card.getByRole("button", { name: "Retry: buildbox" }).tap();
  await becomes(
    () => server.requests.filter(({ method }) => method === "POST").map(({ path }) => path),
    ["/api/hosts/buildbox/retry"],
  );
  await page
    .getByText("buildbox is away", { exact: true })
    .or(page.getByText(/· buildbox is away/))
    .first()
    .waitFor();
});

test("an answer that a machine has missed by going away is refused in words", async () => {
  const { page, server } = await openFixture(lab, { prepare: there });
  server.hook = ({ path }) =>
    path === "/api/select"
      ? Response.json(
          {
            detail: {
              reason: "host_away",
              code: "host_away",
              host: "buildbox",
              message: "buildbox is away; nothing was sent.",
            },
          },
          { status: 409 },
        )
      : undefined;
  const card = page.getByRole("article", { name: "checkout-migration" });
  await calm(page);
  await card.getByRole("option", { name: /Yes, proceed/ }).tap();
  await card.getByText("Its machine is away. Answers come back with it.").waitFor();
});

test("All has a heading for each machine, and shows the panes of one alone", async () => {
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
});

test("a star and a name of a far pane are kept under its machine's target", async () => {
  const { page, server } = await openFixture(lab, { prepare: there, viewport: DESK });
  await page.goto(`${server.url}#/pane/%2521`);
  await page.locator('[data-terminal="%21"]').waitFor();
  await page.keyboard.press("s");
  await becomes(() => server.actions.at(-1)?.body, {
    target: "buildbox:web:21.1",
    starred: true,
  });
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("migration");
  await page.getByRole("button", { name: "Save" }).click();
  await becomes(
    () => server.config.overrides.map(({ target, name }) => [target, name]),
    [["buildbox:web:21.1", "migration"]],
  );
});

test("an image goes to the machine of its pane; where that is away the refusal is in words", async () => {
  const { page, server } = await openFixture(lab, { prepare: there });
  const asked: string[] = [];
  server.replies["/api/images"] = (_, query) => {
    asked.push(query.get("id") ?? "");
    return uploadedImage();
  };
  await page.goto(`${server.url}#/pane/%2522`);
  await page.locator('[data-terminal="%22"]').waitFor();
  await page.getByRole("button", { name: "Attach or insert" }).tap();
  const picture = { name: "shot.png", mimeType: "image/png", buffer: Buffer.from("x") };
  await page.locator("input[type=file][multiple]").setInputFiles(picture);
  await page.getByText("Goes with the message").waitFor();
  expect(asked).toEqual(["%22"]);
  const message = "buildbox is away; nothing was sent.";
  server.hook = ({ path }) =>
    path === "/api/images"
      ? Response.json({ detail: { reason: "host_away", message } }, { status: 409 })
      : undefined;
  await page.getByRole("button", { name: "Attach or insert" }).tap();
  await page.locator("input[type=file][multiple]").setInputFiles(picture);
  await page.getByText(`Not uploaded: ${message}`).waitFor();
});

test("a waiting pane names its machine in the palette, also where its question has no room", async () => {
  const { page } = await openFixture(lab, { prepare: there });
  await sheet("palette")(page);
  await page.getByRole("combobox").fill("checkout-migration");
  await page.getByRole("option").locator(".host-chip", { hasText: "buildbox" }).waitFor();
});

test("why a pane that is away stands so cannot be asked, in words", async () => {
  const { page, server } = await openFixture(lab, { prepare: away });
  const message = "buildbox is away; nothing was sent.";
  server.hook = ({ path }) =>
    path === "/api/explain"
      ? Response.json({ detail: { reason: "host_away", message } }, { status: 409 })
      : undefined;
  await page.goto(`${server.url}#/pane/%2521`);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Why this status?" }).tap();
  await page.getByText(`The server could not say: ${message}`).waitFor();
});

test("the field of a pane that is away says that input is off", async () => {
  const { page, server } = await openFixture(lab, { prepare: away });
  await page.goto(`${server.url}#/pane/%2521`);
  await page.getByPlaceholder("Input is off").waitFor();
});

test("a broadcast leaves out what is away", async () => {
  const { page } = await openFixture(lab, { prepare: away });
  await sheet("broadcast")(page);
  const box = page.getByRole("dialog", { name: "Broadcast" });
  await box.getByText("docs-site").waitFor();
  expect(await box.getByRole("checkbox", { name: /integration-tests/ }).count()).toBe(0);
  const out = box.locator(".pick.off", { hasText: "integration-tests" });
  expect(await out.locator(".host-chip").textContent()).toBe("buildbox");
});

test("a machine is switched off, and removed after a second word", async () => {
  const { page, server } = await openFixture(lab, { prepare: there });
  const asked: string[] = [];
  server.hook = ({ method, path }) => {
    if (method === "GET" || !path.startsWith("/api/hosts/")) return undefined;
    asked.push(`${method} ${path}`);
    return Response.json({ ok: true });
  };
  await sheet("settings-hosts")(page);
  await page.getByRole("button", { name: /^gpu-1/ }).tap();
  await page.getByRole("switch", { name: "Watch it" }).tap();
  await becomes(() => asked, ["PATCH /api/hosts/gpu-1"]);
  await page.getByRole("button", { name: "Remove", exact: true }).tap();
  await page.getByRole("button", { name: "Cancel" }).tap();
  await page.getByRole("button", { name: "Remove", exact: true }).tap();
  await page.getByRole("button", { name: "Remove it" }).tap();
  await becomes(() => asked, ["PATCH /api/hosts/gpu-1", "DELETE /api/hosts/gpu-1"]);
});
