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
import { forAll } from "../support/laws.ts";

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

test("for any style: text has enough contrast on its ground, in both themes", () => {
  forAll([style, fc.constantFrom<Theme>("light", "dark")], 2000, (given, theme) => {
    const look = lookOf(given, theme);
    if (look.colour === null) return;
    const ground = rgb(look.background ?? GROUND[theme]);
    // The token's own ground is given here rounded to 8 bits, hence the small allowance.
    expect(contrast(rgb(look.colour), ground)).toBeGreaterThanOrEqual(MIN_CONTRAST - 0.05);
  });
});

const ATTRIBUTES = { isBold: true, isItalic: true, isUnderlined: true, isStruck: true };
test.each([
  ["a readable colour stays in the dark theme", "f#ff8800", "dark", { colour: "#ff8800" }],
  ["a readable colour stays in the light theme", "f#0033aa", "light", { colour: "#0033aa" }],
  [
    "a style without colours keeps its attributes",
    "b i u s",
    "dark",
    { colour: null, background: null, ...ATTRIBUTES },
  ],
  ["a colour of the cube is the usual one", "g196", "dark", { background: "#ff0000" }],
  ["a grey of the palette is the usual one", "g232", "dark", { background: "#080808" }],
  ["a colour beyond 255 is dropped", "f300", "dark", { colour: null }],
] as const)("%s: %s", (_, style, theme, look) => {
  expect(lookOf(style, theme)).toMatchObject(look);
});

test("for any colour: sRGB survives the way to OKLCH and back", () => {
  forAll([hex], (given) => expect(toHex(toRgb(toOklch(rgb(given))))).toBe(given));
});

test("rounding a style keeps attributes and palette, and rounds direct colours", () => {
  expect(roundStyle("b f12 g#0a0b0c")).toBe("b f12 g#080810");
});

const WEB = join(import.meta.dir, "..", "..", "web");
const textOf = (path: string) => Bun.file(join(WEB, path)).text();
const tokens = (await textOf("styles/tokens.css")) + (await textOf("styles/tokens-later.css"));

const KNOWN = ["agent_a", "agent_b", "agent_c", "agent_d", "agent_e"];

/** The colours of a token in the light and in the dark theme. */
function coloursOf(name: string): readonly Rgb[] {
  const [, value = ""] = tokens.match(new RegExp(`--${name}: light-dark\\((.*)\\);`)) ?? [];
  const colours = [...value.matchAll(/oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)/g)];
  return colours.map(([, l, c, h]) =>
    toRgb({ l: Number(l), c: Number(c), h: (Number(h) * Math.PI) / 180 }),
  );
}

test.each([...KNOWN, "agent"])(
  "the letters of %s have enough contrast on their tile, in both themes",
  (kind) => {
    const text = coloursOf(tileTone(kind, true));
    const tint = coloursOf(`${tileTone(kind, true)}-tint`);
    expect([text.length, tint.length]).toEqual([2, 2]);
    for (const [theme, letter] of text.entries())
      expect(contrast(letter, tint[theme] ?? letter)).toBeGreaterThanOrEqual(4.5);
  },
);

test("each known agent has a tone of its own, programs and shells have none", () => {
  expect(new Set(KNOWN.map((kind) => tileTone(kind, true))).size).toBe(KNOWN.length);
  expect([tileTone("shell", false), tileTone("generic", false)]).toEqual(["", ""]);
  expect(tileTone("generic", true)).not.toBe("");
  // A kind that only a newer server knows.
  expect(tileTone("agent_z", true)).toBe(tileTone("generic", true));
});

test("the manifest and the theme-color have the background of the tokens, and their icons exist", async () => {
  const [light = "", dark = ""] = coloursOf("bg").map(toHex);
  const { theme_color, background_color, icons } = JSON.parse(await textOf("manifest.webmanifest"));
  expect([theme_color, background_color]).toEqual([light, light]);
  const page = await textOf("index.html");
  const bars = [...page.matchAll(/name="theme-color"\s+content="(.*?)"/g)].map(([, hex]) => hex);
  expect(bars).toEqual([light, dark]);
  const links = [...page.matchAll(/rel="[\w-]*icon"[^>]*href="(.*?)"/g)].map(([, path]) => path);
  const named = [...links, ...icons.map(({ src }: { src: string }) => src)];
  expect(named.length).toBeGreaterThan(icons.length);
  for (const path of named)
    expect([path, await Bun.file(join(WEB, path)).exists()]).toEqual([path, true]);
});

test("prefers-contrast gives other colours to lines and text", () => {
  const [plain = "", strong = ""] = tokens.split("@media (prefers-contrast: more)");
  for (const name of ["--line", "--text-2", "--text-3"]) {
    const valueIn = (text: string) => new RegExp(`${name}: (.*);`).exec(text)?.[1] ?? "none";
    expect(valueIn(strong)).toStartWith("light-dark(");
    expect(valueIn(strong)).not.toBe(valueIn(plain));
  }
});
