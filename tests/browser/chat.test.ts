import { beforeEach, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { PHONE, type Viewport } from "../support/browser.ts";
import { becomes } from "../support/becomes.ts";
import { DESK } from "../support/fixture-page.ts";
import { calm } from "../support/calm.ts";
import type { FixtureServer } from "../support/fixture-server.ts";
import { PageLab } from "../support/page-lab.ts";
import { until } from "../support/until.ts";

/** Idle, in an idle pane. */
const AGENT = "rate-limits";
const PANE = "%16";
const TEXT = "Run the limiter test there.";

const lab = PageLab.ofFile();
let server: FixtureServer;

beforeEach(() => {
  server = lab.server();
  server.switchWorkspace(true);
});

const idOf = (title: string) => server.agents.find(title).work.agent.id;

async function open(viewport: Viewport = PHONE, title = AGENT): Promise<Page> {
  const { page } = await lab.page(viewport);
  await page.goto(`${server.url}#/agent/${idOf(title)}/chat`);
  await field(page, title).waitFor();
  return page;
}

const field = (page: Page, title = AGENT) =>
  page.getByRole("textbox", { name: `Message ${title}` });
const send = (page: Page) => page.getByRole("button", { name: "Send", exact: true });
const posts = () =>
  server.requests.filter(({ method, path }) => method === "POST" && path.endsWith("/messages"));

/** Writes the text and waits until it has stood there long enough to be sent. */
async function write(page: Page, text = TEXT): Promise<void> {
  await field(page).fill(text);
  await calm(page);
}

async function writeAndSend(page: Page): Promise<void> {
  await write(page);
  await send(page).tap();
}

const setStatus = (status: "sent" | "observed" | "unknown") =>
  server.agents.changeMessages(AGENT, (messages) =>
    messages.map((message) =>
      message.client_message_id === null ? message : { ...message, status },
    ),
  );

describe("a message", () => {
  test("is sent once, and each of its states is seen", async () => {
    let answer: () => void = () => {};
    server.hook = ({ method, path }) => {
      if (method !== "POST" || !path.endsWith("/messages")) return undefined;
      server.hook = () => undefined;
      return new Promise((resolve) => {
        answer = () => {
          const { body = {} } = posts()[0] ?? {};
          const query = new URLSearchParams();
          const reply = server.agents.answer({ method, path, body }, query);
          resolve(Response.json(reply?.body, { status: reply?.status ?? 500 }));
        };
      });
    };
    const page = await open();
    await writeAndSend(page);
    await page.getByText("Sending").waitFor();
    expect(await field(page).inputValue()).toBe("");
    answer();
    await page.getByText("Sent to its terminal").waitFor();
    setStatus("observed");
    await becomes(() => page.getByText("Sent to its terminal").count(), 0);
    expect(await page.getByText(TEXT).count()).toBe(1);
    expect(posts().map(({ body }) => body)).toEqual([
      { text: TEXT, client_message_id: expect.any(String), expected_binding_revision: 1 },
    ]);
    expect(
      await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("chat"))),
    ).toEqual([]);
  });

  test("that is refused comes back with what the server said", async () => {
    server.hook = ({ method, path }) =>
      method === "POST" && path.endsWith("/messages")
        ? Response.json(
            { detail: { message: "the agent is not idle", current: null } },
            { status: 409 },
          )
        : undefined;
    const page = await open();
    await writeAndSend(page);
    await page.getByText("Not sent: the agent is not idle").waitFor();
    await becomes(() => field(page).inputValue(), TEXT);
    expect(posts()).toHaveLength(1);
  });

  test("whose reply is lost is found by its name, and not sent again", async () => {
    server.hook = ({ method, path, body }) => {
      if (method !== "POST" || !path.endsWith("/messages")) return undefined;
      server.agents.answer({ method, path, body }, new URLSearchParams());
      return new Response("bad gateway", { status: 502 });
    };
    const page = await open();
    await writeAndSend(page);
    await page.getByText("Sent to its terminal").waitFor();
    expect([posts().length, await field(page).inputValue()]).toEqual([1, ""]);
  });

  test("that nobody finds is in doubt: the terminal is the only way on, and then it can be written again", async () => {
    server.hook = ({ method, path }) =>
      method === "POST" && path.endsWith("/messages")
        ? new Response("bad gateway", { status: 502 })
        : undefined;
    const page = await open();
    await writeAndSend(page);
    await page.getByText("This may not have arrived").waitFor({ timeout: 60_000 });
    expect(await field(page).count()).toBe(0);
    expect(await page.getByRole("button", { name: "Inspect terminal" }).count()).toBe(1);
    // The pane is in doubt from everywhere, also after the page came again.
    await page.reload();
    await page.getByText("Sending").waitFor();
    await page.getByText("This may not have arrived").waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Inspect terminal" }).tap();
    await page.locator(`[data-terminal="${PANE}"]`).waitFor();
    await page.getByRole("button", { name: "Back" }).first().tap();
    await field(page).waitFor();
    await becomes(() => field(page).inputValue(), TEXT);
    expect(posts()).toHaveLength(1);
    server.hook = () => undefined;
    await calm(page);
    await send(page).tap();
    await page.getByText("Sent to its terminal").waitFor();
    const names = posts().map(({ body }) => body["client_message_id"]);
    expect([names.length, new Set(names).size]).toEqual([2, 2]);
  });

  test("that a page was sending when it was killed is looked for by the next, and not posted", async () => {
    server.hook = ({ method, path }) =>
      method === "POST" && path.endsWith("/messages") ? new Promise<Response>(() => {}) : undefined;
    const page = await open();
    await writeAndSend(page);
    const [sent] = await until(() => (posts().length > 0 ? posts() : null));
    server.hook = () => undefined;
    await page.reload();
    await page.getByText("Sending").waitFor();
    // It had reached the server all the same.
    if (sent) server.agents.answer({ ...sent }, new URLSearchParams());
    await page.getByText("Sent to its terminal").waitFor();
    expect(posts()).toHaveLength(1);
  });
});

test("two tabs write the same message, and one sends it", async () => {
  const first = await open();
  const second = await first.context().newPage();
  await second.goto(`${server.url}#/agent/${idOf(AGENT)}/chat`);
  await field(second).waitFor();
  await write(first);
  await becomes(() => field(second).inputValue(), TEXT);
  await calm(second);
  // Whichever is first: the other's may be disabled by then.
  await Promise.all(
    [first, second].map((page) => send(page).evaluate((button: HTMLElement) => button.click())),
  );
  await first.getByText("Sent to its terminal").first().waitFor();
  await second.getByText("Sent to its terminal").first().waitFor();
  const names = new Set(posts().map(({ body }) => body["client_message_id"]));
  expect(names.size).toBe(1);
  const { messages } = server.agents.find(AGENT);
  expect(messages.filter(({ client_message_id: name }) => name !== null)).toHaveLength(1);
});

test("what is written stays through a reload, and goes with signing out", async () => {
  const page = await open();
  await write(page);
  await page.reload();
  await becomes(() => field(page).inputValue(), TEXT);
  await page.evaluate(() => localStorage.setItem("panewatch.token", "open"));
  await page.goto(`${server.url}#/all`);
  await page.getByRole("button", { name: "Settings" }).tap();
  await page.getByRole("button", { name: "Sign out" }).tap();
  await page.getByRole("button", { name: "Sign out" }).first().tap();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes("chat"))),
  ).toEqual([]);
});

describe("why nothing can be written is said, with one way on", () => {
  test("it works: its pane, and who is writing keeps the field", async () => {
    const page = await open();
    await field(page).fill("Then");
    server.agents.changeAgent(AGENT, { lifecycle: "working" });
    await page.getByText("It is working").waitFor();
    expect([await field(page).inputValue(), await send(page).isDisabled()]).toEqual(["Then", true]);
    await field(page).fill("");
    await field(page).blur();
    await becomes(() => field(page).count(), 0);
    await page.getByRole("button", { name: "Open pane" }).last().tap();
    await page.locator(`[data-terminal="${PANE}"]`).waitFor();
  });

  test("it asks: the question stands above", async () => {
    const page = await open();
    const title = "list-endpoints";
    await page.goto(`${server.url}#/agent/${idOf(title)}/chat`);
    await page.getByText("It asks something. Answer that first.").waitFor();
    await page.getByRole("option", { name: "Cursor" }).waitFor();
  });

  test("it is in no pane for certain, or does not run", async () => {
    const page = await open();
    server.agents.changeAgent(AGENT, { association: "ambiguous", pane_id: null });
    await page.getByText("Which pane it runs in is not certain.").waitFor();
    server.agents.changeAgent(AGENT, { lifecycle: "offline" });
    await page.getByText("It is offline.").first().waitFor();
  });
});

test("by keyboard alone, where Enter ends a line and Mod+Enter sends", async () => {
  const page = await open(DESK);
  await field(page).focus();
  await page.keyboard.type("First");
  await page.keyboard.press("Enter");
  await page.keyboard.type("second");
  expect(await field(page).inputValue()).toBe("First\nsecond");
  await calm(page);
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByText("Sent to its terminal").waitFor();
  expect(posts().map(({ body }) => body["text"])).toEqual(["First\nsecond"]);
});
