// Empty: what stands where a list or a page has nothing: a sentence in bold, a line below, what can be
// done. Props: title, text, mark (a drawing above), level of the heading, isBrief (small, among other
// things), isStatus (said when it comes), children (buttons).
import type { ComponentChildren, JSX } from "preact";

export function Empty(props: {
  readonly title: string;
  readonly text?: ComponentChildren;
  readonly mark?: ComponentChildren;
  readonly level?: 1 | 2;
  readonly isBrief?: boolean;
  readonly isStatus?: boolean;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, text, mark, level = 2, isBrief = false, isStatus = false, children } = props;
  const Level = `h${level}` as "h1" | "h2";
  return (
    <div class={`empty ${isBrief ? "brief" : ""}`} role={isStatus ? "status" : undefined}>
      {mark}
      <Level>{title}</Level>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}
