import { expect, test } from "bun:test";
import { Answered, answeredSlice } from "../../src/answered/answered.ts";
import { AppError } from "../../src/errors.ts";
import { AnsweredState } from "../../src/protocol/answered.ts";
import { routesOf } from "../../src/slice.ts";
import type { FreshRead } from "../../src/terminal/reading.ts";
import { FakeClock } from "../support/clock.ts";
import { MemoryFile } from "../support/continuations.ts";
import { pane } from "../support/pane.ts";

const DAY = 86_400;
const EVIDENCE = [" Bash command", "", "   git status", "   See what has changed"];

/** As much of a screen as is looked at. */
function screenOf(id: string, parser: string): FreshRead {
  const listed = { id, width: 100 };
  const prompt = { parser, evidence: EVIDENCE };
  return { pane: listed, state: pane({ id, cwd: "/code/shop" }), prompt } as unknown as FreshRead;
}

async function start(file = new MemoryFile()) {
  const clock = new FakeClock();
  const isLocalPane = (id: string) => id !== "%far";
  const answered = new Answered({ file, isLocalPane, clock, log: { error: () => {} } });
  const slice = answeredSlice(answered);
  await slice.start?.();
  const app = routesOf(slice.routes ?? {});
  app.onError((error, c) =>
    c.json({}, error instanceof AppError && error.kind === "not_found" ? 404 : 400),
  );
  const state = async () => AnsweredState.parse(await (await app.request("/api/answered")).json());
  const hide = (id: string) =>
    app.request("/api/answered/hide", { method: "POST", body: JSON.stringify({ id }) });
  /** Once a day. */
  const answer = (times: number, label = "Yes", id = "%1", parser = "agent_a.permission") => {
    for (let i = 0; i < times; i++) {
      answered.note(screenOf(id, parser), label);
      clock.advance(DAY);
    }
    return answered.close();
  };
  return { slice, file, state, hide, answer };
}

test("what was allowed each time is told with its setting, over a restart, until it is put away", async () => {
  const first = await start();
  expect(await first.state()).toEqual({ questions: [] });
  expect(first.slice.capabilities?.()).toEqual({ answered_v1: { version: 1 } });
  await first.answer(5);
  const told = await first.state();
  expect(told.questions).toMatchObject([
    {
      folder: "/code/shop",
      command: "git status",
      count: 5,
      setting: { rule: "Bash(git status)" },
    },
  ]);
  const id = told.questions[0]?.id ?? "";

  expect((await first.hide("unknown")).status).toBe(404);
  expect(await (await first.hide(id)).json()).toEqual({ ok: true });
  expect(await first.state()).toEqual({ questions: [] });
  const second = await start(first.file);
  await second.answer(5);
  expect(await second.state()).toEqual({ questions: [] });
});

test("one other answer ends it", async () => {
  const { answer, state } = await start();
  await answer(4);
  await answer(1, "No");
  await answer(9);
  expect(await state()).toEqual({ questions: [] });
});

test("neither other dialogs count nor panes of other machines", async () => {
  const { answer, state, file } = await start();
  await answer(9, "Yes", "%far");
  await answer(9, "Yes", "%1", "agent_a.question");
  expect(await state()).toEqual({ questions: [] });
  expect(await file.read()).toBeNull();
});
