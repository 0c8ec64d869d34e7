import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icons.tsx";
import { plan as words } from "../../words/review.ts";

/** Where the plan stands; said when it changes. */
export function PlanBar(props: {
  readonly title: string;
  readonly text: string;
  readonly onBack: () => void;
}): JSX.Element {
  const { title, text, onBack } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <header class="bar">
      <button type="button" class="back" aria-label={words.backToReview} onClick={onBack}>
        <Icon name="back" />
      </button>
      <div class="bar-title" role="status">
        <h1 class="truncate numbers" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p class="truncate">{text}</p>
      </div>
    </header>
  );
}
