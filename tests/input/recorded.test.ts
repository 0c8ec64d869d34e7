import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { guardOf } from "../../src/input/guard.ts";
import type { ListedPane, SendGuard } from "../../src/terminal/provider.ts";
import { openMux } from "../support/mux.ts";
import { findIn, inputOf, readScreens, type RecordedScreen } from "../support/screens.ts";
import { sampled } from "../support/thorough.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";

const ASKING = sampled(
  readScreens().filter(({ expected }) => expected.menu.length > 0),
  4,
);
const SETUP_MS = 40_000;
const KEY = [{ do: "key", key: "Up" }] as const;

const panes = new Map<string, ListedPane>();

const tmux = await PrivateTmux.start();
const provider = await openMux(tmux);
for (const [index, { styled, pane }] of ASKING.entries()) {
  const file = join(tmux.folder, `screen-${index}`);
  await Bun.write(file, styled.replace(/\n$/, "").replaceAll("\n", "\r\n"));
  const size = ["-x", String(pane.width), "-y", String(pane.height)];
  const program = `cat '${file}'; printf '\\033]2;drawn\\033\\\\'; exec cat >/dev/null`;
  await tmux.command("new-session", "-d", "-s", `case-${index}`, ...size, program);
}
const listed = await until(async () => {
  const all = (await provider.list(AbortSignal.timeout(60_000))).panes;
  const mine = all.filter((pane) => pane.names.session.startsWith("case-"));
  return mine.every((pane) => pane.title === "drawn") ? mine : null;
}, SETUP_MS);
for (const pane of listed) panes.set(pane.names.session, pane);
afterAll(() => tmux.stop());

async function read(index: number, recorded: RecordedScreen) {
  const pane = panes.get(`case-${index}`);
  if (!pane) throw new Error(`no pane shows ${recorded.name}`);
  const captures = await provider.capture([pane], 200, AbortSignal.timeout(60_000));
  const capture = captures.get(pane.id);
  if (!capture || capture instanceof Error) throw new Error("not captured");
  const input = inputOf(recorded, capture.text);
  const { prompt } = findIn(input);
  return { pane, prompt, screen: input.screen };
}

test.each(ASKING.map((recorded, index) => [recorded.name, recorded, index] as const))(
  "%s: its answer passes on its own screen, and not on another's",
  async (_, recorded, index) => {
    const seen = await read(index, recorded);
    expect(seen.prompt).not.toBeNull();
    const guard = guardOf(seen);
    expect(guard.contains.length).toBeGreaterThanOrEqual(2);
    const send = (to: ListedPane, wanted: SendGuard) => provider.send(to.id, KEY, wanted);
    expect({ guard, outcome: await send(seen.pane, guard) }).toEqual({ guard, outcome: "sent" });
    const other = ASKING.findIndex(
      ({ expected }) => expected.question !== recorded.expected.question,
    );
    const elsewhere = panes.get(`case-${other}`);
    if (!elsewhere) throw new Error("no other screen");
    expect(await send(elsewhere, { ...guard, identity: elsewhere.identity })).toBe("refused");
  },
);
