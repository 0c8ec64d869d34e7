import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const SHOWN_AFTER_MS = 300;

/** Two empty cards, only when the first answer is slow. */
export function Skeletons(): JSX.Element | null {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <div role="status" aria-label="Loading">
      {[0, 1].map((i) => (
        <div key={i} class="card skeleton grid gap-12" aria-hidden="true">
          <i class="bone short" />
          <i class="bone tall" />
          <i class="bone" />
          <i class="bone option-bone" />
          <i class="bone option-bone" />
        </div>
      ))}
    </div>
  );
}
