import { expect, test } from "bun:test";
import { openFixture, type FixturePage } from "../support/fixture-page.ts";
import { creationState } from "../support/fixture-replies.ts";
import { becomes } from "../support/becomes.ts";
import { PageLab } from "../support/page-lab.ts";
import { rare as it } from "../support/thorough.ts";

const lab = PageLab.ofFile();
async function withSheet(
  run: (fixture: FixturePage) => Promise<void>,
  prepare: (fixture: FixturePage["server"]) => void = () => {},
): Promise<void> {
  const fixture = await openFixture(lab, { prepare });
  await fixture.page.keyboard.press("c");
  await fixture.page.getByRole("dialog", { name: "New" }).waitFor();
  await run(fixture);
}

const created = ({ server }: FixturePage) =>
  server.requests.filter(({ path }) => path === "/api/mux/create").map(({ body }) => body);

test("a session: folder by browsing, runtime by its tile, name checked as typed", async () => {
  await withSheet(async (fixture) => {
    const { page } = fixture;
    await page.getByRole("button", { name: "web", exact: true }).tap();
    await page.getByRole("button", { name: "packages" }).tap();
    await page.getByText("No folders in here.").waitFor();
    await page.getByRole("radiogroup", { name: "Run" }).getByText("Claude Code").tap();
    // It is not installed there.
    expect(await page.getByRole("radio", { name: /Grok/ }).count()).toBe(0);
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("two words");
    await page.getByText("Only letters, digits, _ and -.").waitFor();
    const create = page.getByRole("button", { name: "Create session" });
    await becomes(() => create.isDisabled(), true);
    await name.fill("packages-2");
    // What the server refuses is said in the sheet, and what was written stays.
    fixture.server.hook = ({ path }) =>
      path === "/api/mux/create"
        ? Response.json({ detail: "the name is in use" }, { status: 409 })
        : undefined;
    await create.tap();
    await page.getByText("Not created: the name is in use").waitFor();
    expect(await name.inputValue()).toBe("packages-2");
    fixture.server.hook = () => undefined;
    await create.tap();
    await page.waitForFunction(() => location.hash === "#/pane/%2514");
    expect(created(fixture).slice(1)).toEqual([
      {
        type: "session",
        cwd: "/home/dev/code/web/packages",
        runtime: "agent_a",
        name: "packages-2",
      },
    ]);
  });
});

it("a pane: the split and its size; the last choice is remembered", async () => {
  await withSheet(async (fixture) => {
    const { page, server } = fixture;
    await page.getByRole("radio", { name: "Pane" }).tap();
    await page.getByRole("combobox", { name: "Pane to split" }).selectOption("%22");
    await page.getByRole("radio", { name: "Stacked" }).tap();
    await page.getByRole("radiogroup", { name: "Run" }).getByText("Shell").tap();
    await page.getByRole("slider", { name: "New pane gets" }).fill("40");
    await page.getByRole("button", { name: "docs" }).last().tap();
    await page.locator("[aria-current=location]", { hasText: "docs" }).waitFor();
    await page.getByRole("button", { name: "Create pane" }).tap();
    await page.waitForFunction(() => location.hash === "#/pane/%2514");
    expect(created(fixture)).toEqual([
      {
        type: "pane",
        cwd: "/home/dev/code/docs",
        runtime: "shell",
        parent_pane_id: "%22",
        split: "stacked",
        size_percent: 40,
      },
    ]);
    await page.goto(`${server.url}?again`);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("button", { name: "Create pane" }).waitFor();
    await page.locator("[aria-current=location]", { hasText: "docs" }).waitFor();
    const stacked = page.getByRole("radio", { name: "Stacked" });
    await becomes(() => stacked.getAttribute("aria-checked"), "true");
  });
});

it("500 folders are filtered by a few letters, and that there are more is said", async () => {
  await withSheet(
    async ({ page }) => {
      await page.getByRole("button", { name: "many" }).tap();
      await page.getByText("Only the first 500 are shown.").waitFor();
      await page.getByRole("searchbox", { name: "Filter 500 folders" }).fill("er-321");
      const rows = page.locator(".folders .item");
      await becomes(() => rows.allTextContents(), ["folder-321"]);
    },
    (server) => {
      const recent = [{ name: "many", path: "/home/dev/code/many", root_label: "code" }];
      server.replies["/api/mux/creation"] = () => creationState({ recent_directories: recent });
    },
  );
});

it("switched off, it says the server's reason; without the capability there is no New", async () => {
  const reason = "Creation is disabled in server configuration.";
  await withSheet(
    async ({ page, server }) => {
      await page.getByText(reason).waitFor();
      await page.getByRole("button", { name: "Close" }).last().tap();
      delete server.config._info.capabilities.mux_create_v1;
      await page.goto(`${server.url}?without`);
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByRole("link", { name: "All" }).tap();
      await page.getByRole("button", { name: "Broadcast" }).waitFor();
      expect(await page.getByRole("button", { name: /^New/ }).count()).toBe(0);
    },
    (server) => {
      server.replies["/api/mux/creation"] = () =>
        creationState({ enabled: false, reason, roots: [], recent_directories: [] });
    },
  );
});

test("what was created here is closed from its menu, with a second tap; nothing else is", async () => {
  const fixture = await openFixture(lab);
  const { page, server } = fixture;
  const made = server.panes.find(({ id }) => id === "%24");
  if (made === undefined) throw new Error("no pane");
  server.change("%24", { capabilities: { ...made.capabilities, delete: true } });
  server.hook = ({ path }) => {
    if (path !== "/api/mux/close") return undefined;
    server.panes = server.panes.filter(({ id }) => id !== "%24");
    return Response.json({ ok: true });
  };
  const closed = () => server.requests.filter(({ path }) => path === "/api/mux/close");
  await page.goto(`${server.url}#/pane/%2516`);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Rename" }).waitFor();
  expect(await page.getByRole("button", { name: "Close pane" }).count()).toBe(0);
  await page.goBack();
  await page.goto(`${server.url}#/pane/%2524`);
  await page.getByRole("button", { name: "More", exact: true }).tap();
  await page.getByRole("button", { name: "Close pane" }).tap();
  const dialog = page.getByRole("dialog", { name: "Close pane" });
  await dialog.getByText("Codex in “css-audit” ends with it.").waitFor();
  expect(closed()).toEqual([]);
  await dialog.getByRole("button", { name: "Close pane" }).tap();
  await becomes(() => closed().map(({ body }) => body), [{ id: "%24" }]);
  await dialog.waitFor({ state: "detached" });
});

/** A first message is written for an agent that is made; `fate` is what the server tells of it. */
async function tell(
  words: string,
  fate: () => Response,
  run: (fixture: FixturePage) => Promise<void>,
): Promise<void> {
  await withSheet(async (fixture) => {
    const { page, server } = fixture;
    server.hook = ({ path }) => {
      if (path === "/api/mux/create")
        return Response.json({ pane_id: "%24", target: "web:24.1" }, { status: 201 });
      return path === "/api/mux/message" ? fate() : undefined;
    };
    const field = page.getByRole("textbox", { name: "First message" });
    const runtimes = page.getByRole("radiogroup", { name: "Run" });
    // Who watches agents starts one.
    await field.waitFor();
    await runtimes.getByText("Shell").tap();
    await field.waitFor({ state: "detached" });
    await runtimes.getByText("Claude Code").tap();
    await field.fill(words);
    await page.getByRole("button", { name: "Create session" }).tap();
    await run(fixture);
  });
}
const WAITING = { state: "waiting", reason: null };
const composer = ({ page }: FixturePage) => page.locator("[data-composer]");

test("a new agent is told its first message; what could not be typed stands in its pane's field", async () => {
  const words = "Count the apples\nthen the pears";
  const fates = [WAITING, { state: "not_sent", reason: "it asks something first" }];
  await tell(
    words,
    () => Response.json(fates.shift()),
    async (fixture) => {
      const said = "The first message was not sent: it asks something first.";
      await fixture.page.getByText(said).waitFor();
      expect(created(fixture)).toMatchObject([{ runtime: "agent_a", first_message: words }]);
      await becomes(() => composer(fixture).inputValue(), words);
    },
  );
});

test("a first message that was not sent is told whole where something else stands in the field", async () => {
  let fate: object = WAITING;
  await tell(
    "Count the apples",
    () => Response.json(fate),
    async (fixture) => {
      await composer(fixture).fill("Mine");
      fate = { state: "not_sent", reason: "it asks" };
      await fixture.page.getByText("not sent: it asks. Its words: Count the apples").waitFor();
      expect(await composer(fixture).inputValue()).toBe("Mine");
    },
  );
});

test("what became of a first message is told by the next page, and by no later one", async () => {
  let fate = Response.json(WAITING);
  let looks = 0;
  const look = () => {
    looks++;
    return fate.clone();
  };
  await tell("Count the apples", look, async (fixture) => {
    const { page } = fixture;
    await page.getByText("The first message is typed in when the agent is ready.").waitFor();
    await becomes(() => looks > 0, true);
    // It has arrived, or not: the server that knew it was started anew.
    fate = Response.json({ detail: "this pane was given no first message" }, { status: 404 });
    await page.reload();
    await page.getByText("the first message may have arrived before.").waitFor();
    await becomes(() => composer(fixture).inputValue(), "Count the apples");
    looks = 0;
    await page.reload();
    await composer(fixture).waitFor();
    await page.waitForLoadState("networkidle");
    expect(looks).toBe(0);
  });
});
