import { afterAll, expect, test } from "bun:test";
import { AppError } from "../../src/errors.ts";
import type { Expected } from "../../src/protocol/input.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { sample, startInput } from "./service.ts";

// Programs that draw and answer like the real ones, read and answered through everything that lies
// between the routes and a real tmux.
const tmux = await PrivateTmux.start({ width: 100, height: 30 });
const service = await startInput(tmux);
afterAll(async () => {
  await service.stop();
  await tmux.stop();
});

/** Waits also until it is known what runs there, which may take a pass longer than its dialog. */
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
const guardOf = (pane: PaneState): { expected: Expected } => ({
  expected: pane.legacy_guard ?? {},
});
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "sent",
    (error: unknown) =>
      error instanceof AppError ? (error.detail as { reason: string }).reason : String(error),
  );

test.concurrent("an answer reaches the prompt that was seen, once", async () => {
  const id = await tmux.open(sample("permission"));
  const seen = await waits(id, "npm test");
  const answers = [1, 2, 3].map(() =>
    outcome(service.legacy.select({ id, key: "1", ...guardOf(seen) })),
  );
  expect((await Promise.all(answers)).sort()).toEqual(["prompt_changed", "prompt_changed", "sent"]);
  const answered = await shows(id, "● Done: run the tests of the checkout.");
  expect(answered.interacted).toBeGreaterThan(0);

  // The next request looks the same but for its command: the old answer does not fit it.
  await waits(id, "rm -rf build/checkout");
  const late = service.legacy.select({ id, key: "1", ...guardOf(seen) });
  expect(await outcome(late)).toBe("prompt_changed");
  const screen = await tmux.screen(id);
  expect(screen).toContain("rm -rf build/checkout");
  expect(screen).not.toContain("● Done: remove the old build");
});

test.concurrent("Enter takes the focused option, and not when the focus has moved", async () => {
  const id = await tmux.open(sample("permission"));
  const seen = await waits(id, "npm test");
  await service.legacy.key({ id, key: "Down", ...guardOf(seen) });
  const moved = await service.published(id, (pane) => pane.menu[1]?.selected === true);
  expect([seen.legacy_guard?.selected, moved.legacy_guard?.selected]).toEqual(["1", "2"]);
  expect(moved.legacy_guard).toMatchObject({ ...seen.legacy_guard, selected: "2" });
  await tmux.command("send-keys", "-t", id, "Up");
  await until(async () => (await tmux.screen(id)).includes("❯ 1. Yes"));
  const enter = (selected: string) =>
    outcome(
      service.legacy.key({ id, key: "Enter", expected: { ...moved.legacy_guard, selected } }),
    );
  expect(await enter("2")).toBe("options_changed");
  expect(await tmux.screen(id)).toContain("Do you want to proceed?");
  expect(await enter("1")).toBe("sent");
  await shows(id, "● Done: run the tests of the checkout.");
});

test.concurrent(
  "a question takes an option by its number, and a text of one's own in one action",
  async () => {
    const id = await tmux.open(sample("questions"));
    const seen = await waits(id, "Which database");
    const freeform = seen.menu.find((option) => option.freeform);
    const text = "DuckDB; 'in' $HOME 漢字";
    await service.legacy.select({ id, key: freeform?.key ?? "", text, ...guardOf(seen) });
    await shows(id, `● Noted: ${text}`);

    const other = await tmux.open(sample("questions"));
    const again = await waits(other, "Which database");
    await service.legacy.select({ id: other, key: "2", ...guardOf(again) });
    await shows(other, "● Going with PostgreSQL.");
  },
);
