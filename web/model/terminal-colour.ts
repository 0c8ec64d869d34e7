export type Rgb = readonly [number, number, number];
/** Lightness 0 to 1, chroma, hue in radians. */
interface Oklch {
  readonly l: number;
  readonly c: number;
  readonly h: number;
}

const toLinear = (v: number): number => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
const toGamma = (v: number): number =>
  v <= 0.0031308 ? v * 12.92 : 1.055 * Math.max(0, v) ** (1 / 2.4) - 0.055;
const clamp = (v: number): number => Math.min(1, Math.max(0, v));

export function toOklch([red, green, blue]: Rgb): Oklch {
  const [r, g, b] = [toLinear(red), toLinear(green), toLinear(blue)];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const k = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    c: Math.hypot(a, k),
    h: Math.atan2(k, a),
  };
}

/** Channels outside of sRGB are clipped. */
export function toRgb({ l: lightness, c, h }: Oklch): Rgb {
  const a = c * Math.cos(h);
  const k = c * Math.sin(h);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * k) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * k) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * k) ** 3;
  return [
    clamp(toGamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)),
    clamp(toGamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)),
    clamp(toGamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)),
  ];
}

/** Contrast of two colours by WCAG: 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance([r, g, b]: Rgb): number {
  return 0.2126 * toLinear(r) + 0.7152 * toLinear(g) + 0.0722 * toLinear(b);
}

export function toHex(rgb: Rgb): string {
  const hex = rgb.map((v) =>
    Math.round(v * 255)
      .toString(16)
      .padStart(2, "0"),
  );
  return `#${hex.join("")}`;
}

export type Theme = "light" | "dark";

/** Null stands for the terminal's own colour. */
export interface Look {
  readonly colour: string | null;
  readonly background: string | null;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
}

/** WCAG AA, on every background. */
export const MIN_CONTRAST = 4.5;
/** Direct colours are rounded to these steps, so that gradients need few CSS rules. */
const CHANNEL_STEP = 8;
const DIM = 0.35;

/** The terminal's own colours, as in the tokens `--term-bg`, `--term-text` and `--term-dim`. */
const OWN: Readonly<Record<Theme, { readonly bg: Rgb; readonly text: Rgb; readonly dim: Rgb }>> = {
  light: {
    bg: toRgb({ l: 0.985, c: 0.003, h: 1.48 }),
    text: toRgb({ l: 0.29, c: 0.012, h: 4.57 }),
    dim: toRgb({ l: 0.5, c: 0.012, h: 4.57 }),
  },
  dark: {
    bg: toRgb({ l: 0.148, c: 0.007, h: 4.57 }),
    text: toRgb({ l: 0.885, c: 0.006, h: 4.57 }),
    dim: toRgb({ l: 0.675, c: 0.012, h: 4.57 }),
  },
};

/** The sixteen named colours at medium strength; contrast is adjusted per theme. */
const NAMED: readonly string[] = [
  "20242c d0453f 3f9d4a b8860b 3c78d8 a855b5 1d96a6 c8ccd4",
  "6b7280 e8665f 5dbb63 d9a521 6a9bf4 c678dd 3fb6c6 f3f4f6",
].flatMap((row) => row.split(" "));

/** Colours of a `styled_lines_v1` style in a theme, adjusted until the text is readable. */
export function lookOf(style: string, theme: Theme): Look {
  const parts = style.split(" ");
  const has = (part: string) => parts.includes(part);
  const given = {
    text: colourOf(parts.find((part) => part.startsWith("f"))),
    bg: colourOf(parts.find((part) => part.startsWith("g"))),
  };
  const own = OWN[theme];
  const isInverse = has("r");
  const rawText = isInverse ? (given.bg ?? own.bg) : given.text;
  const rawBg = isInverse ? (given.text ?? own.text) : given.bg;
  const bg = rawBg === null ? null : fitBackground(rawBg, theme, isInverse);
  const ground = bg ?? own.bg;
  const isPlain = rawText === null && bg === null;
  const base = rawText ?? (has("d") && bg === null ? own.dim : own.text);
  const text = has("d") && rawText !== null ? mix(base, ground, DIM) : base;
  const isOwn = isPlain && !has("d");
  return {
    colour: isOwn ? null : toHex(readable(text, ground)),
    background: bg === null ? null : toHex(bg),
    isBold: has("b"),
    isItalic: has("i"),
    isUnderlined: has("u"),
    isStruck: has("s"),
  };
}

export const roundStyle = (style: string): string =>
  style.replace(/#[0-9a-f]{6}/g, (colour) => colour.replace(/[0-9a-f]{2}/g, roundChannel));

function roundChannel(hex: string): string {
  const value = Math.round(Number.parseInt(hex, 16) / CHANNEL_STEP) * CHANNEL_STEP;
  return Math.min(255, value).toString(16).padStart(2, "0");
}

/** Parses `f12` or `g#aabbcc`. */
function colourOf(part: string | undefined): Rgb | null {
  const direct = /^[fg]#([0-9a-f]{6})$/i.exec(part ?? "")?.[1];
  if (direct !== undefined) return fromHex(direct);
  const index = /^[fg](\d{1,3})$/.exec(part ?? "")?.[1];
  return index === undefined ? null : paletteColour(Number(index));
}

function paletteColour(index: number): Rgb | null {
  const named = NAMED[index];
  if (named !== undefined) return fromHex(named);
  if (index > 255) return null;
  if (index >= 232) {
    const grey = (8 + (index - 232) * 10) / 255;
    return [grey, grey, grey];
  }
  const cube = index - 16;
  const channel = (step: number) => (step === 0 ? 0 : (55 + step * 40) / 255);
  return [channel(Math.floor(cube / 36)), channel(Math.floor(cube / 6) % 6), channel(cube % 6)];
}

function fromHex(hex: string): Rgb {
  const channel = (at: number) => Number.parseInt(hex.slice(at, at + 2), 16) / 255;
  return [channel(0), channel(2), channel(4)];
}

/** Programs paint for a dark or a light terminal; in the other theme the lightness is flipped. */
function fitBackground(bg: Rgb, theme: Theme, isInverse: boolean): Rgb {
  if (isInverse) return bg;
  const { l, c, h } = toOklch(bg);
  if (theme === "light" && l < 0.55) return toRgb({ l: 0.97 - l * 0.3, c: Math.min(c, 0.07), h });
  if (theme === "dark" && l > 0.75)
    return toRgb({ l: 0.2 + (1 - l) * 0.5, c: Math.min(c, 0.07), h });
  return bg;
}

function mix(one: Rgb, other: Rgb, share: number): Rgb {
  const at = (i: 0 | 1 | 2) => one[i] * (1 - share) + other[i] * share;
  return [at(0), at(1), at(2)];
}

/** The text colour, or the nearest lightness of its hue with enough contrast. */
function readable(text: Rgb, ground: Rgb): Rgb {
  if (contrast(text, ground) >= MIN_CONTRAST) return text;
  const { l, c, h } = toOklch(text);
  const steps = Array.from({ length: 101 }, (_, i) => i / 100);
  const near = steps.toSorted((a, b) => Math.abs(a - l) - Math.abs(b - l));
  for (const lightness of near) {
    // Near black and white sRGB has less chroma.
    const chroma = c * Math.min(1, 4 * Math.min(lightness, 1 - lightness));
    const colour = rounded(toRgb({ l: lightness, c: chroma, h }));
    if (contrast(colour, rounded(ground)) >= MIN_CONTRAST) return colour;
  }
  return contrast([0, 0, 0], ground) > contrast([1, 1, 1], ground) ? [0, 0, 0] : [1, 1, 1];
}

function rounded([r, g, b]: Rgb): Rgb {
  const at = (v: number) => Math.round(v * 255) / 255;
  return [at(r), at(g), at(b)];
}
