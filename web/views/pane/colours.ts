import { lookOf, roundStyle, type Look } from "../../model/terminal-colour.ts";

/** Beyond this a new sheet begins; rows that still stand keep the rules of the one before. */
const MAX_RULES = 2000;

/**
 * Classes for the runs of a terminal, made as they are met. Rules are added through the style sheet
 * object, which a strict Content-Security-Policy allows; nothing of the terminal's text is in them.
 */
export class ColourSheet {
  #sheet = new CSSStyleSheet();
  #before = new CSSStyleSheet();
  readonly #classes = new Map<string, string>();
  /** Never begins anew: a row that stands must not take the colours of another name. */
  #made = 0;

  /** Attaches the sheets to the page; the result takes them away. */
  attach(): () => void {
    document.adoptedStyleSheets.push(this.#before, this.#sheet);
    return () => this.#detach(this.#before, this.#sheet);
  }

  classOf(style: string): string {
    const rounded = roundStyle(style);
    const known = this.#classes.get(rounded);
    if (known !== undefined) return known;
    if (this.#classes.size >= MAX_RULES) this.#beginSheet();
    const name = `run-${this.#made++}`;
    this.#classes.set(rounded, name);
    this.#sheet.insertRule(`.${name}{${declarations(rounded)}}`);
    return name;
  }

  #beginSheet(): void {
    this.#classes.clear();
    this.#detach(this.#before);
    this.#before = this.#sheet;
    this.#sheet = new CSSStyleSheet();
    document.adoptedStyleSheets.push(this.#sheet);
  }

  #detach(...sheets: readonly CSSStyleSheet[]): void {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter(
      (sheet) => !sheets.includes(sheet),
    );
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
