import { expect, test } from "bun:test";
import fc from "fast-check";
import { join } from "node:path";
import { tileTone } from "../../web/model/pane.ts";
import {
  MIN_CONTRAST,
  contrast,
  lookOf,
  roundStyle,
  toHex,
  toOklch,
  toRgb,
  type Rgb,
  type Theme,
} from "../../web/model/terminal-colour.ts";

const GROUND: Readonly<Record<Theme, string>> = { light: "#fbfaf8", dark: "#0a0c0f" };

const rgb = (hex: string): Rgb => {
  const [r = 0, g = 0, b = 0] = (/\w\w/g[Symbol.match](hex) ?? []).map(
    (v) => parseInt(v, 16) / 255,
  );
  return [r, g, b];
};

const hex = fc.integer({ min: 0, max: 0xffffff }).map((v) => `#${v.toString(16).padStart(6, "0")}`);
const colour = fc.oneof(fc.integer({ min: 0, max: 255 }).map(String), hex);
const style = fc
  .record({
    text: fc.option(colour),
    ground: fc.option(colour),
    flags: fc.subarray(["b", "d", "i", "u", "s", "r"]),
  })
  .map(({ text, ground, flags }) =>
    [...flags, text && `f${text}`, ground && `g${ground}`].filter(Boolean).join(" "),
  );

test("every colour can be read on its ground, in both themes", () => {
  fc.assert(
    fc.property(style, fc.constantFrom<Theme>("light", "dark"), (given, theme) => {
      const look = lookOf(given, theme);
      if (look.colour === null) return;
      const ground = rgb(look.background ?? GROUND[theme]);
      // The token's own ground is given here rounded to 8 bits, hence the small allowance.
      expect(contrast(rgb(look.colour), ground)).toBeGreaterThanOrEqual(MIN_CONTRAST - 0.05);
    }),
    { numRuns: 2000 },
  );
});

test("a colour that can be read already stays as it is", () => {
  expect(lookOf("f#ff8800", "dark").colour).toBe("#ff8800");
  expect(lookOf("f#0033aa", "light").colour).toBe("#0033aa");
});

test("plain runs take the terminal's own colours, attributes are kept", () => {
  expect(lookOf("b i u s", "dark")).toEqual({
    colour: null,
    background: null,
    isBold: true,
    isItalic: true,
    isUnderlined: true,
    isStruck: true,
  });
});

test("the palette is the common one of 256 colours", () => {
  expect(lookOf("g196", "dark").background).toBe("#ff0000");
  expect(lookOf("g232", "dark").background).toBe("#080808");
  expect(lookOf("f300", "dark").colour).toBeNull();
});

test("sRGB survives the way there and back", () => {
  fc.assert(fc.property(hex, (given) => expect(toHex(toRgb(toOklch(rgb(given))))).toBe(given)));
});

test("rounding keeps attributes and palette, and thins out direct colours", () => {
  expect(roundStyle("b f12 g#0a0b0c")).toBe("b f12 g#080810");
});

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
