import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { AppError } from "../../src/errors.ts";
import type { ExpectedPrompt } from "../../src/protocol/input.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { CLIENT } from "./agent-pane.ts";
import { sample, startInput } from "./service.ts";

// Sample programs in a real tmux, read and answered through the poller and the input classes.
const tmux = await PrivateTmux.start({ width: 100, height: 30 });
const service = await startInput(tmux);
afterAll(async () => {
  await service.stop();
  await tmux.stop();
});

/** Waits for the kind of the pane too, which may be known a pass later than its dialog. */
const waits = (id: string, text: string) =>
  service.published(
    id,
    (pane) =>
      pane.status === "needs_input" &&
      pane.kind === "agent_a" &&
      `${pane.question} ${pane.evidence.join(" ")}`.includes(text),
  );
const shows = (id: string, text: string) =>
  service.published(id, (pane) => pane.lines.join("\n").includes(text));
const guardOf = (pane: PaneState): { expected: ExpectedPrompt } => ({
  expected: pane.legacy_guard ?? {},
});
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "sent",
    (error: unknown) =>
      error instanceof AppError ? (error.detail as { reason: string }).reason : String(error),
  );

test.concurrent(
  "of three equal answers to a prompt only the first is sent, and it does not fit the next prompt",
  async () => {
    const id = await tmux.open(sample("permission"));
    const seen = await waits(id, "npm test");
    const answers = [1, 2, 3].map(() =>
      outcome(service.legacy.select({ id, key: "1", ...guardOf(seen) }, CLIENT)),
    );
    expect((await Promise.all(answers)).sort()).toEqual([
      "prompt_changed",
      "prompt_changed",
      "sent",
    ]);
    const answered = await shows(id, "● Done: run the tests of the checkout.");
    expect(answered.interacted).toBeGreaterThan(0);

    // The next request differs in its command alone: the old answer must not fit.
    await waits(id, "rm -rf build/checkout");
    const late = service.legacy.select({ id, key: "1", ...guardOf(seen) }, CLIENT);
    expect(await outcome(late)).toBe("prompt_changed");
    const screen = await tmux.screen(id);
    expect(screen).toContain("rm -rf build/checkout");
    expect(screen).not.toContain("● Done: remove the old build");
  },
);

test.concurrent(
  "Enter takes the focused option, and is refused when the focus has moved",
  async () => {
    const id = await tmux.open(sample("permission"));
    const seen = await waits(id, "npm test");
    await service.legacy.key({ id, key: "Down", ...guardOf(seen) }, CLIENT);
    const moved = await service.published(id, (pane) => pane.menu[1]?.selected === true);
    expect([seen.legacy_guard?.selected, moved.legacy_guard?.selected]).toEqual(["1", "2"]);
    expect(moved.legacy_guard).toMatchObject({ ...seen.legacy_guard, selected: "2" });
    await tmux.command("send-keys", "-t", id, "Up");
    await until(async () => (await tmux.screen(id)).includes("❯ 1. Yes"));
    const enter = (selected: string) =>
      outcome(
        service.legacy.key(
          { id, key: "Enter", expected: { ...moved.legacy_guard, selected } },
          CLIENT,
        ),
      );
    expect(await enter("2")).toBe("options_changed");
    expect(await tmux.screen(id)).toContain("Do you want to proceed?");
    expect(await enter("1")).toBe("sent");
    await shows(id, "● Done: run the tests of the checkout.");
  },
);

test.concurrent(
  "a question takes an option by its number, and a text of one's own in one action",
  async () => {
    const id = await tmux.open(sample("questions"));
    const seen = await waits(id, "Which database");
    const freeform = seen.menu.find((option) => option.freeform);
    const text = "DuckDB; 'in' $HOME 漢字";
    await service.legacy.select({ id, key: freeform?.key ?? "", text, ...guardOf(seen) }, CLIENT);
    await shows(id, `● Noted: ${text}`);

    const other = await tmux.open(sample("questions"));
    const again = await waits(other, "Which database");
    await service.legacy.select({ id: other, key: "2", ...guardOf(again) }, CLIENT);
    await shows(other, "● Going with PostgreSQL.");
  },
);

const REDRAWS = IS_THOROUGH ? 20 : 2;

/** More lines than the screen has, and the same words as in the prompts. */
const HISTORY = [
  ...Array.from({ length: 40 }, (_, i) => `step ${i} of the release`),
  "Which of these comes next?",
  "❯ 1. Yes",
  "  2. No",
  "Delete the branch? (y/n) y",
];

/** An unknown program. `x` clears the screen and moves the old one into the history. */
async function open(prompt: readonly string[]): Promise<string> {
  const files = join(tmux.folder, Bun.hash(prompt.join("\n")).toString(36));
  await Bun.write(`${files}.history`, HISTORY.map((line) => `${line}\n`).join(""));
  await Bun.write(`${files}.prompt`, prompt.join("\n"));
  const program = [
    // A key that comes between two reads would be echoed into the prompt.
    "stty -echo",
    `cat ${files}.history`,
    "for at in $(seq 99); do",
    `  printf '\\033[2J\\033[H'; cat ${files}.prompt`,
    `  printf '\\033]2;drawn %d\\007' "$at"`,
    `  read -rsn1 key; [ "$key" = x ] || break`,
    "done",
    `printf '\\033[2J\\033[Htaken %s\\n' "$key"; exec sleep 600`,
  ];
  await Bun.write(`${files}.sh`, program.join("\n"));
  return tmux.open(["bash", `${files}.sh`]);
}

const afterDraws = (id: string, times: number) =>
  service.published(
    id,
    ({ title, status }) => title === `drawn ${times}` && status === "needs_input",
  );

const promptOf = ({ question, evidence, menu, legacy_guard }: PaneState) => ({
  ...{ question, evidence, menu, legacy_guard },
});

const PROMPTS = {
  "a menu below its question": {
    drawn: ["Deploy to production?", "❯ 1. Yes", "  2. No"],
    question: "Deploy to production?",
    key: "1",
  },
  "a menu without a question": { drawn: ["❯ 1. Yes", "  2. No"], question: "", key: "1" },
  "a menu below a blank row": { drawn: ["", "❯ 1. Yes", "  2. No"], question: "", key: "1" },
  "a question on one line": {
    drawn: ["Delete the branch? (y/n) "],
    question: "Delete the branch? (y/n)",
    key: "y",
  },
  "a list above its line": {
    drawn: ["1) Fast", "2) Slow", "Your choice: "],
    question: "Your choice:",
    key: "1",
  },
};

for (const [name, { drawn: prompt, question, key }] of Object.entries(PROMPTS))
  test.concurrent(
    `${name} keeps its fingerprints over ${REDRAWS} redraws, and can be answered`,
    async () => {
      const id = await open(prompt);
      const first = await afterDraws(id, 1);
      expect(promptOf(first)).toMatchObject({ question, evidence: [] });
      for (let times = 2; times <= REDRAWS + 1; times++) {
        await tmux.command("send-keys", "-t", id, "x");
        expect({ times, ...promptOf(await afterDraws(id, times)) }).toEqual({
          times,
          ...promptOf(first),
        });
      }
      await service.legacy.select({ id, key, expected: first.legacy_guard ?? {} }, CLIENT);
      await service.published(id, ({ lines }) => lines.includes(`taken ${key}`));
    },
  );

const KEY_READ = {
  "a question": 'read -rsn1 -p "Delete the branch? (y/n) " first',
  "a list": 'printf "1) Fast\n2) Slow\n"; read -rsn1 -p "Your choice: " first',
};

for (const [name, asks] of Object.entries(KEY_READ))
  test.concurrent(
    `the key of ${name} that reads keys has no Enter, which would answer the next question`,
    async () => {
      const next = 'read -rsn1 -p "Really everything? [Y/n] " second';
      const tells = `printf '\\ntaken %s and %q\\n' "$first" "$second"; exec sleep 600`;
      const id = await tmux.open(["bash", "-c", `${asks}; echo; ${next}; ${tells}`]);
      const seen = await service.published(id, ({ menu }) => menu.length === 2);
      const [{ key } = { key: "" }] = seen.menu;
      const expected = seen.legacy_guard ?? {};
      await service.legacy.select({ id, key, expected }, CLIENT);
      await service.published(id, ({ question }) => question?.startsWith("Really") === true);
      // Later keys come behind whatever was sent before.
      await tmux.command("send-keys", "-t", id, "n");
      await shows(id, `taken ${key} and n`);
    },
  );

/** Four questions in one row each, and what they were answered with. */
const byCharacter = (read: string) =>
  [
    `for at in 1 2 3 4; do read ${read} -p "Delete branch $at? (y/n) " a[$at]; echo; done`,
    "printf 'taken %q %q %q %q\\n' \"${a[@]}\"; exec sleep 600",
  ].join("; ");

for (const read of ["-n1", "-rsn1"])
  test.concurrent(
    `read ${read} gets no key of several bytes, and of a text one character alone`,
    async () => {
      const id = await tmux.open(["bash", "-c", byCharacter(read)]);
      const asks = (at: number) =>
        service.published(
          id,
          ({ question }) => question?.startsWith(`Delete branch ${at}`) === true,
        );
      const [first, press] = [await asks(1), service.legacy];
      for (const key of ["BTab", "Down", "Home"])
        expect(await outcome(press.key({ id, key, ...guardOf(first) }, CLIENT))).toBe(
          "capability_unavailable",
        );
      const text = { id, text: "yes", enter: true, ...guardOf(first) };
      expect(await outcome(press.text(text, CLIENT))).toBe("partial_delivery_unknown");
      for (const at of [2, 3, 4]) {
        const more = { id, text: "n", enter: false, ...guardOf(await asks(at)) };
        expect(await outcome(press.text(more, CLIENT))).toBe("sent");
      }
      await shows(id, "taken y n n n");
    },
  );

test.concurrent(
  "a text of several characters reaches a program that reads them singly, also behind a blank",
  async () => {
    const script = 'IFS= read -n4 -p "Year (y/n): " a; echo "taken <$a>"; cat';
    for (const text of ["1984", " 984"]) {
      const id = await tmux.open(["bash", "-c", script]);
      const seen = await service.published(id, ({ question }) => question !== null);
      await service.legacy.text({ id, text, enter: true, ...guardOf(seen) }, CLIENT);
      await shows(id, `taken <${text}>`);
    }
  },
);

test.concurrent("a text reaches a shell that reads single characters", async () => {
  const id = await tmux.open(["bash", "--norc", "-i"]);
  await tmux.command("send-keys", "-t", id, `read -n4 -p "Year: " a; echo "taken $a"`, "Enter");
  const seen = await service.published(id, ({ question }) => question === "Year:");
  await service.legacy.text({ id, text: "1984", enter: false, ...guardOf(seen) }, CLIENT);
  await shows(id, "taken 1984");
});

test.concurrent("no Enter answers the next question that a counter alone tells apart", async () => {
  const ask = "printf '\\rOverwrite? (%d/3) ' $at; read -n1 a[$at]";
  const script = `for at in 1 2 3; do ${ask}; done; printf 'taken %q%q%q' "\${a[@]}"; sleep 600`;
  const id = await tmux.open(["bash", "-c", script]);
  const seen = await service.published(id, ({ question }) => question !== null);
  const text = { id, text: "y", enter: true, ...guardOf(seen) };
  expect(await outcome(service.legacy.text(text, CLIENT))).toBe("partial_delivery_unknown");
  await until(async () => (await tmux.screen(id)).includes("Overwrite? (2/3)"));
  await tmux.command("send-keys", "-t", id, "nn");
  await shows(id, "taken ynn");
});

test.concurrent("no Enter reaches a program that is busy with the key before it", async () => {
  const script = `$| = 1; system "stty -icanon -echo";
    for (1 .. 2) { print "Delete branch $_? (y/n) "; sysread STDIN, $k[$_], 1; print $k[$_];
      select undef, undef, undef, 0.5; print "\\n" }
    print "taken $k[1]$k[2]"; sleep 600`;
  const id = await tmux.open(["perl", "-e", script]);
  const seen = await service.published(id, ({ question }) => question !== null);
  await service.legacy.text({ id, text: "y", enter: true, ...guardOf(seen) }, CLIENT);
  await service.published(id, ({ question }) => question?.startsWith("Delete branch 2") === true);
  await tmux.command("send-keys", "-t", id, "n");
  await shows(id, "taken yn");
});

test.concurrent("words reach a field whose program draws the cursor, and one Enter", async () => {
  const program = `
    let words = "";
    const draw = (end) =>
      process.stdout.write("\\x1b[?25l\\x1b[HWhich release?\\r\\n> " + words + end + "\\x1b[K\\r\\n");
    process.stdin.setRawMode(true).on("data", (keys) => {
      for (const key of String(keys)) words += key === "\\r" ? " taken" : key;
      draw("\\x1b[7m \\x1b[0m");
    });
    draw("\\x1b[7m \\x1b[0m");`;
  const id = await tmux.open([process.execPath, "-e", program]);
  const seen = await service.published(id, ({ status }) => status === "needs_input");
  expect(seen).toMatchObject({ question: "Which release?", menu: [] });
  await service.legacy.text({ id, text: "v1.2", enter: true, ...guardOf(seen) }, CLIENT);
  await shows(id, "> v1.2 taken");
  expect(await tmux.screen(id)).not.toContain("taken taken");
  await service.published(id, ({ status }) => status !== "needs_input");
});

test("an unreadable dialog keeps its fingerprints when it is drawn again", async () => {
  const id = await open(["❯ Fast", "  Slow", "", "↑/↓ to move · enter to select"]);
  const first = await afterDraws(id, 1);
  await tmux.command("send-keys", "-t", id, "x");
  expect(promptOf(await afterDraws(id, 2))).toEqual(promptOf(first));
});
