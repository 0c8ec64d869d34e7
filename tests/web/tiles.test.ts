import { expect, test } from "bun:test";
import { join } from "node:path";
import { tileTone } from "../../web/model/pane.ts";
import { toRgb } from "../../web/model/terminal-colour.ts";

const tokens = await Bun.file(
  join(import.meta.dir, "..", "..", "web", "styles", "tokens.css"),
).text();

const AGENTS = ["a", "b", "c", "d", "e", "other"];

/** Relative luminance of a token in the light and in the dark theme. */
function luminances(name: string): readonly number[] {
  const [, value = ""] = tokens.match(new RegExp(`--${name}: light-dark\\((.*)\\);`)) ?? [];
  const colours = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)];
  return colours.map(([, l, c, h]) => {
    const rgb = toRgb({ l: Number(l), c: Number(c), h: (Number(h) * Math.PI) / 180 });
    const [r = 0, g = 0, b = 0] = rgb.map((v) =>
      v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  });
}

test.each(AGENTS)("the letters of agent %s are read on their tile in both themes", (agent) => {
  const text = luminances(`agent-${agent}`);
  const tint = luminances(`agent-${agent}-tint`);
  expect([text.length, tint.length]).toEqual([2, 2]);
  for (const [theme, light] of text.entries()) {
    const [low = 0, high = 0] = [light, tint[theme] ?? 0].toSorted((a, b) => a - b);
    expect((high + 0.05) / (low + 0.05)).toBeGreaterThanOrEqual(4.5);
  }
});

test("each known agent has a tone of its own, programs and shells have none", () => {
  const known = ["agent_a", "agent_b", "agent_c", "agent_d", "agent_e"];
  expect(new Set(known.map((kind) => tileTone(kind, true))).size).toBe(known.length);
  expect([tileTone("shell", false), tileTone("generic", false)]).toEqual(["", ""]);
  expect(tileTone("generic", true)).not.toBe("");
  // A kind that only a newer server knows.
  expect(tileTone("agent_z", true)).toBe(tileTone("generic", true));
});
