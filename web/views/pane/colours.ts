import { lookOf, roundStyle, type Look } from "../../model/terminal-colour.ts";

/** Beyond this the sheet begins anew; rows that are still shown keep their rules until they change. */
const MAX_RULES = 2000;

/**
 * Classes for the runs of a terminal, made as they are met. Rules are added through the style sheet
 * object, which a strict Content-Security-Policy allows; nothing of the terminal's text is in them.
 */
export class ColourSheet {
  readonly #sheet = new CSSStyleSheet();
  readonly #classes = new Map<string, string>();

  /** Attaches the sheet to the page; the result takes it away. */
  attach(): () => void {
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, this.#sheet];
    return () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== this.#sheet);
    };
  }

  classOf(style: string): string {
    const rounded = roundStyle(style);
    const known = this.#classes.get(rounded);
    if (known !== undefined) return known;
    if (this.#classes.size >= MAX_RULES) {
      this.#classes.clear();
      this.#sheet.replaceSync("");
    }
    const name = `run-${this.#classes.size}`;
    this.#classes.set(rounded, name);
    this.#sheet.insertRule(`.${name}{${declarations(rounded)}}`);
    return name;
  }
}

function declarations(style: string): string {
  const light = lookOf(style, "light");
  const dark = lookOf(style, "dark");
  const lines = [light.isUnderlined && "underline", light.isStruck && "line-through"];
  const rules = [
    both("color", light.colour, dark.colour),
    both("background-color", light.background, dark.background),
    light.isBold && "font-weight:600",
    light.isItalic && "font-style:italic",
    lines.some(Boolean) && `text-decoration-line:${lines.filter(Boolean).join(" ")}`,
  ];
  return rules.filter(Boolean).join(";");
}

function both(property: string, light: Look["colour"], dark: Look["colour"]): string | false {
  if (light === null || dark === null) return false;
  return `${property}:light-dark(${light},${dark})`;
}
