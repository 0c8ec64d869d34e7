/** The class of a run; the rules of colours are made where the theme is known. */
export function classOfStyle(style: string): string {
  return style
    .split(" ")
    .map((part) => `style-${part.replace("#", "x")}`)
    .join(" ");
}
