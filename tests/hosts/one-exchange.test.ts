import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { startInput } from "../input/service.ts";
import { remoteProvider, openRemoteLink } from "../support/remote-link.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { CLIENT } from "../input/agent-pane.ts";
import { until } from "../support/until.ts";

/** Requests to the remote shell, oldest first. */
const requests: string[] = [];

const tmux = await PrivateTmux.start();
const link = await openRemoteLink(tmux);
const ask = link.ask.bind(link);
link.ask = (kind, text, limits) => {
  requests.push(text);
  return ask(kind, text, limits);
};
const provider = remoteProvider(link);
// Passes happen when a test asks for one.
const service = await startInput(tmux, { provider, pollInterval: 3600 });
afterAll(async () => {
  await service.stop();
  link.stop();
  await tmux.stop();
});

/** A dialog that `x` redraws under another title, and that takes any other key as its answer. */
async function openDialog(): Promise<string> {
  const file = join(tmux.folder, `${crypto.randomUUID()}.sh`);
  const program = [
    "stty -echo",
    "for at in $(seq 99); do",
    "  printf '\\033[2J\\033[HDelete the branch? (y/n) '",
    `  printf '\\033]2;drawn %d\\007' "$at"`,
    `  read -rsn1 key; [ "$key" = x ] || break`,
    `  [ -e "$0.other" ] && break`,
    "done",
    `printf '\\033[2J\\033[Htaken %s\\n' "$key"`,
    `while read -rsn1 key; do echo "and $key"; done`,
  ];
  await Bun.write(file, program.join("\n"));
  return tmux.open(["bash", file]);
}

async function waiting(id: string) {
  await until(async () => (await tmux.format(id, "#{pane_title}")) === "drawn 1");
  await service.pass();
  // The process may show after the screen: the next pass knows the agent.
  await service.pass();
  return service.published(id, ({ status }) => status === "needs_input");
}

test("an answer to the prompt of the last pass takes one exchange with the host", async () => {
  const id = await openDialog();
  const { legacy_guard } = await waiting(id);
  requests.length = 0;
  await service.legacy.select({ id, key: "y", expected: legacy_guard ?? {} }, CLIENT);
  expect(requests.filter((text) => text.includes("if-shell"))).toHaveLength(1);
  expect(requests[0]).toContain("if-shell");
  await until(async () => (await tmux.screen(id)).startsWith("taken y"));
});

test("an answer is sent once after a new reading when the screen changed but the prompt did not", async () => {
  const id = await openDialog();
  const { legacy_guard } = await waiting(id);
  await tmux.command("send-keys", "-t", id, "x");
  await until(async () => (await tmux.format(id, "#{pane_title}")) === "drawn 2");
  requests.length = 0;
  await service.legacy.select({ id, key: "y", expected: legacy_guard ?? {} }, CLIENT);
  // The comparison that fails, the new reading, and the send under that.
  expect(requests.filter((text) => text.includes("if-shell"))).toHaveLength(2);
  await until(async () => (await tmux.screen(id)).startsWith("taken y"));
  expect(await tmux.screen(id)).not.toContain("and y");
});

test("an answer to a prompt that has gone is refused, and nothing is typed", async () => {
  const id = await openDialog();
  const { legacy_guard } = await waiting(id);
  await tmux.command("send-keys", "-t", id, "n");
  await until(async () => (await tmux.screen(id)).startsWith("taken n"));
  await expect(
    service.legacy.select({ id, key: "y", expected: legacy_guard ?? {} }, CLIENT),
  ).rejects.toMatchObject({ kind: "conflict" });
  expect(await tmux.screen(id)).not.toContain("and y");
});

test("a second answer to the same prompt waits for the screen to change, and is refused", async () => {
  const id = await openDialog();
  const { legacy_guard } = await waiting(id);
  const answer = () =>
    service.legacy.select({ id, key: "y", expected: legacy_guard ?? {} }, CLIENT);
  const [first, second] = await Promise.allSettled([answer(), answer()]);
  expect(first.status).toBe("fulfilled");
  expect(second).toMatchObject({ status: "rejected", reason: { kind: "conflict" } });
  expect(await tmux.screen(id)).not.toContain("and y");
});

describe("the guard by the screen that was seen", () => {
  const SCREENS = {
    "with quotes, a dot alone and what a shell would expand": [
      'it\'s "so" $HOME `id` $(id) \\ * [a-z] ?',
      ".",
      "..",
      "'",
      "END",
    ],
    "with colours and wide characters": ["\\033[31mrot\\033[0m 漢字 é 👩‍💻", "\\033[7m▌\\033[0m"],
    "with rows that wrap": ["w".repeat(200), "x".repeat(80), "end"],
    "with history above it": Array.from({ length: 60 }, (_, at) => `row ${at}`),
    "without a word on it": ["\\033[2J\\033[H"],
  };

  async function seen(rows: readonly string[]) {
    const file = join(tmux.folder, crypto.randomUUID());
    await Bun.write(file, rows.join("\n").replaceAll("\\033", "\x1b"));
    const draw = `stty -echo; cat '${file}'; tmux wait-for -S '${file}'; read -r x; printf TAKEN; sleep 600`;
    const id = await tmux.open(["bash", "-c", draw]);
    await tmux.command("wait-for", file);
    const panes = await provider.list(AbortSignal.timeout(60_000));
    const pane = panes.find((each) => each.id === id);
    if (!pane) throw new Error("it is not listed");
    const captures = await provider.capture([pane], 200, AbortSignal.timeout(60_000));
    const capture = captures.get(id);
    if (!capture || capture instanceof Error) throw new Error("it was not captured");
    return { id, guard: { identity: pane.identity, contains: [], screen: { pane, ...capture } } };
  }

  test.each(Object.entries(SCREENS))("passes until the screen changes: %s", async (_, rows) => {
    const { id, guard } = await seen(rows);
    const send = (text: string) => provider.send(id, [{ do: "text", text }], guard);
    expect(await send("a")).toBe("sent");
    expect(await send("\n")).toBe("sent");
    await until(async () => (await tmux.screen(id)).includes("TAKEN"));
    expect(await send("b")).toBe("refused");
  });

  test("refuses a screen that was cleared", async () => {
    const { id, guard } = await seen(["Delete it? (y/n)"]);
    await tmux.command("send-keys", "-R", "-t", id);
    expect(await provider.send(id, [{ do: "text", text: "y" }], guard)).toBe("refused");
  });
});
