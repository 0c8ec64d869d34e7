import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Finding } from "../../src/detect/finding.ts";
import { guardOf } from "../../src/input/guard.ts";
import type { ListedPane, SendGuard } from "../../src/terminal/provider.ts";
import { openMux } from "../support/mux.ts";
import {
  expectMeaning,
  findOn,
  inputOf,
  readScreens,
  type RecordedScreen,
} from "../support/screens.ts";
import { sampled } from "../support/thorough.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

const CAPTURE_LINES = 200;
const SESSIONS_PER_COMMAND = 20;
const SETUP_MS = 40_000;

/** Prints a file on the screen that was recorded, says so in the title, and holds the pane. */
const PROGRAM = `test "$2" = alternate && printf '\\033[?1049h'
printf '\\033[H'
cat "$1"
printf '\\033]2;drawn\\033\\\\'
exec sleep 600`;

/** Every screen is read from its recording in screens.test.ts; here it is seen whether tmux draws it so. */
const SCREENS = sampled(readScreens(), 4);

const tmux = await PrivateTmux.start();
const files = await Promise.all(SCREENS.map((recorded, i) => writeScreen(recorded, i)));
for (let i = 0; i < SCREENS.length; i += SESSIONS_PER_COMMAND) {
  const some = SCREENS.slice(i, i + SESSIONS_PER_COMMAND);
  const commands = some.map((recorded, k) => newSession(recorded, i + k, files[i + k] ?? ""));
  await tmux.command(...commands.flatMap((command, k) => (k === 0 ? command : [";", ...command])));
}
const { signal } = new AbortController();
const provider = await openMux(tmux);
const panes = await until(async () => {
  const listed = (await provider.list(signal)).filter((p) => p.names.session !== "main");
  return listed.every((pane) => pane.title === "drawn") ? listed : null;
}, SETUP_MS);
const captures = await provider.capture(panes, CAPTURE_LINES, signal);
const panesBySession = new Map(
  panes.map((pane) => [pane.names.session, { pane, capture: captures.get(pane.id) }]),
);

afterAll(() => tmux.stop());

describe("a recorded screen, drawn in a real pane and captured", () => {
  test.each(SCREENS.map((recorded, i) => [recorded.name, recorded, i] as const))(
    "is read as from its recording: %s",
    (_, recorded, i) => {
      const { pane, text } = captureOf(i);
      expect(pane).toMatchObject({
        width: recorded.pane.width,
        height: recorded.pane.height,
        alternate: recorded.pane.alternate_on,
      });
      const finding = findOn(recorded, text);
      expectMeaning(finding, recorded.expected);
      const read = findOn(recorded);
      expect({ rule: finding.rule, prompt: answers(finding) }).toEqual({
        rule: read.rule,
        prompt: answers(read),
      });
    },
  );
});

const ASKING = SCREENS.flatMap((recorded, i) =>
  recorded.expected.menu.length > 0 ? [[recorded.name, recorded, i] as const] : [],
);

test.each(ASKING)(
  "a guarded answer passes on its own screen and is refused on another: %s",
  async (_, recorded, i) => {
    const { pane, text } = captureOf(i);
    const { screen } = inputOf(recorded, text);
    const { prompt } = findOn(recorded, text);
    expect(prompt).not.toBeNull();
    const guard = guardOf({ pane, prompt, screen });
    expect(guard.contains.length).toBeGreaterThanOrEqual(2);
    const send = (to: ListedPane, wanted: SendGuard) =>
      provider.send(to.id, [{ do: "key", key: "Up" }], wanted);
    expect({ guard, outcome: await send(pane, guard) }).toEqual({ guard, outcome: "sent" });
    const [, , other = -1] =
      ASKING.find(([, { expected }]) => expected.question !== recorded.expected.question) ?? [];
    const elsewhere = captureOf(other).pane;
    expect(await send(elsewhere, { ...guard, identity: elsewhere.identity })).toBe("refused");
  },
);

function captureOf(i: number) {
  const { pane, capture } = panesBySession.get(sessionName(i)) ?? {};
  if (!pane || !capture || capture instanceof Error) throw new Error("not captured");
  return { pane, text: capture.text };
}

/** The prompt as a person sees and answers it; line numbers may differ. */
function answers({ prompt }: Finding) {
  return prompt && { parser: prompt.parser, question: prompt.question, options: prompt.options };
}

async function writeScreen(recorded: RecordedScreen, i: number): Promise<string> {
  const file = join(tmux.folder, `screen-${i}`);
  // A last line break would scroll a full screen.
  await Bun.write(file, recorded.styled.replace(/\n$/, ""));
  return file;
}

function newSession(recorded: RecordedScreen, i: number, file: string): string[] {
  const { width, height, alternate_on } = recorded.pane;
  return [
    ...["new-session", "-d", "-s", sessionName(i), "-x", String(width), "-y", String(height)],
    ...["sh", "-c", PROGRAM, "draw", file, alternate_on ? "alternate" : "main"],
  ];
}

function sessionName(i: number): string {
  return `case-${i}`;
}
