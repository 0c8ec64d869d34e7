// A chat of 5,000 messages: tasks of the page while all of it comes, while it is scrolled and while the
// agent goes on saying things. A minute.
import { fixturePanes } from "../support/fixture-panes.ts";
import { messageOf } from "../support/fixture-work.ts";
import { type Phone, slowDown, withPage, withPhones } from "./phone.ts";
import { LONG_TASK_MS, tasksDuring } from "./tasks.ts";
import { ms, printTable } from "./figures.ts";

const AGENT = "query-planner";
const MESSAGES = 5000;
/** As the page asks for older ones. */
const PAGE = 200;
/** Between two messages, now and then. */
const STEPS_PER_MESSAGE = 4;
const TURNS = 60;
const TURN_MS = 100;
const WHEEL_PX = 900;
/** The agent says something with every so many turns of the wheel. */
const TURNS_PER_MESSAGE = 10;

/** What agents say: mostly a few sentences, now and then a page with code. */
function textOf(n: number): string {
  const sentences = `Message ${n}. ${"The index alone brings most of it. ".repeat(1 + (n % 7))}`;
  if (n % 9 !== 0) return sentences;
  const code = "const weight = 1 - (now % MINUTE) / MINUTE;\n".repeat(12);
  return `${sentences}See https://example.org/a and \`weight\`:\n\n\`\`\`ts\n${code}\`\`\`\n\nThat is all.`;
}

await withPhones((lab) => withPage(lab, fixturePanes(), measureChat));

async function measureChat({ page, server, devtools }: Phone): Promise<void> {
  server.switchWorkspace(true);
  const { id } = server.agents.find(AGENT);
  const paneId = server.panes.find((pane) => server.agents.inPane(pane.id) === id)?.id ?? "";
  const message = (n: number) =>
    messageOf(id, n % 3 === 0 ? "user" : "assistant", textOf(n), 1_000_000 + n);
  let said = MESSAGES;
  server.agents.setMessages(
    AGENT,
    Array.from({ length: MESSAGES }, (_, n) => message(n)),
  );
  const steps = Array.from({ length: MESSAGES * STEPS_PER_MESSAGE }, (_, n) => ({
    ...{ id: `step ${n}`, at: 1_000_000 + n / STEPS_PER_MESSAGE, kind: "edit" as const },
    ...{ title: `src/file-${n % 40}.ts`, added: n % 30, removed: n % 7, state: "done" as const },
  }));
  server.agents.steps.set(id, steps);
  const say = () => server.agents.say(AGENT, message(said++));
  await slowDown(devtools);
  const rows: string[][] = [];
  const count = async (name: string, run: () => Promise<void>) => {
    const tasks = await tasksDuring(devtools, run);
    const long = tasks.filter((duration) => duration > LONG_TASK_MS);
    rows.push([name, String(long.length), ms(Math.max(0, ...tasks))]);
  };
  // Not through a locator, which goes through every element of the page.
  const scrollBy = (pixels: number) =>
    page.evaluate((by) => document.querySelector(".agent-body")?.scrollBy(0, by), pixels);
  const isFirstThere = () => page.getByText("The first message.").waitFor({ timeout: 5000 });
  const wheel = async (by: (turn: number) => number, each: (turn: number) => void = () => {}) => {
    await page.mouse.move(200, 400);
    for (let turn = 0; turn < TURNS; turn++) {
      each(turn);
      await page.mouse.wheel(0, by(turn));
      await page.waitForTimeout(TURN_MS);
    }
  };

  await page.goto(server.url);
  await page.locator("[data-pane]").first().waitFor();
  await page.waitForTimeout(1000);
  await count("opening it", async () => {
    // As a tap on its card leads there.
    await page.evaluate(
      (hash) => (location.hash = hash),
      `#/pane/${encodeURIComponent(paneId)}/chat`,
    );
    await page.locator(".messages li").last().waitFor();
    await page.waitForTimeout(1000);
  });
  await count("older pages, to the first message", async () => {
    // Counted at the server: to ask the page is a task of its own.
    const asked = () => server.requests.filter(({ path }) => path.endsWith("/messages")).length;
    while (asked() < 1 + MESSAGES / PAGE) {
      await scrollBy(-1e7);
      await page.waitForTimeout(2 * TURN_MS);
    }
    await page.waitForTimeout(2000);
  });
  const isSaying = (turn: number) => {
    if (turn % TURNS_PER_MESSAGE === 0) say();
  };
  await isFirstThere();
  await count("scrolling", () =>
    wheel((turn) => (turn < TURNS / 2 ? WHEEL_PX : -WHEEL_PX), isSaying),
  );
  await page.getByRole("button", { name: "To the newest" }).tap();
  await page.waitForTimeout(2000);
  await count("at the end, while it goes on", () => wheel(() => 0, isSaying));
  printTable(
    [`A chat of ${MESSAGES} messages`, `tasks over ${LONG_TASK_MS} ms`, "longest task"],
    rows,
  );
}
