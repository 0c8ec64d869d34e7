import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { settings as words } from "../../words/settings.ts";

/** Rows under a heading that says whom they are for. */
export function Group(props: {
  readonly title: string;
  readonly whose?: "thisBrowser" | "thisDevice" | "everyone";
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, whose, children } = props;
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div class="group-head">
        <h3 id={id}>{title}</h3>
        {whose !== undefined && <span>{words[whose]}</span>}
      </div>
      <div class="set">{children}</div>
    </section>
  );
}
