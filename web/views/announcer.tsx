import { count } from "../words/common.ts";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useServer } from "../state/client.ts";

const QUIET_MS = 5000;

/** Says who has begun to wait, at most once per five seconds; what gathers meanwhile is counted. */
export function Announcer(): JSX.Element {
  const { panes, queue } = useServer();
  const [said, setSaid] = useState({ text: "", count: 0 });
  const known = useRef<ReadonlySet<string> | null>(null);
  const fresh = useRef<string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const waiting = queue.waiting.value;

  const speak = () => {
    timer.current = null;
    const [name, ...others] = fresh.current;
    if (name === undefined) return;
    fresh.current = [];
    const text =
      others.length === 0
        ? `${name} waits`
        : count(others.length + 1, "more agent waits", "more agents wait");
    setSaid(({ count }) => ({ text, count: count + 1 }));
    timer.current = setTimeout(speak, QUIET_MS);
  };
  useEffect(() => {
    if (!panes.isLoaded.value) return;
    const before = known.current;
    known.current = new Set(waiting.map((pane) => pane.id));
    // What already waited when the page came is on the screen, not news.
    if (before === null) return;
    for (const pane of waiting) if (!before.has(pane.id)) fresh.current.push(pane.name);
    if (timer.current === null) speak();
  }, [waiting, panes.isLoaded.value]);
  return (
    <p class="visually-hidden" aria-live="polite">
      {/* Said again with the same words it is another element, or nobody would hear it. */}
      <span key={said.count}>{said.text}</span>
    </p>
  );
}
