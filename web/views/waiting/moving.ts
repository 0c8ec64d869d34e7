import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { QueuedMessage } from "../../../src/protocol/queue.ts";

/** A grip that is dragged, or pressed: a press moves one up, the arrows one up or down. */
export function useMoving(
  messages: readonly QueuedMessage[],
  move: (id: string, before: string | null) => void,
) {
  const place = useRef<HTMLOListElement>(null);
  const [moved, setMoved] = useState<string | null>(null);
  const target = useRef<number | null>(null);
  const to = (id: string, at: number) => {
    const others = messages.filter((one) => one.id !== id);
    const from = messages.findIndex((one) => one.id === id);
    if (at >= 0 && at < messages.length && at !== from) move(id, others[at]?.id ?? null);
  };
  const rowAt = (y: number): number => {
    const rows = [...(place.current?.children ?? [])].map((row) => row.getBoundingClientRect());
    const at = rows.findIndex(({ bottom }) => y < bottom);
    return at < 0 ? rows.length - 1 : at;
  };
  const gripOf = (id: string): JSX.IntrinsicElements["button"] => {
    const from = messages.findIndex((one) => one.id === id);
    return {
      disabled: messages.length < 2,
      onPointerDown: (event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        target.current = from;
        setMoved(id);
      },
      onPointerMove: ({ clientY }) => {
        if (moved === id) target.current = rowAt(clientY);
      },
      onLostPointerCapture: () => {
        const at = target.current;
        target.current = null;
        setMoved(null);
        if (at !== null) to(id, at);
      },
      onPointerCancel: () => {
        target.current = null;
      },
      onKeyDown: (event) => {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        to(id, from + step);
      },
    };
  };
  return { place, moved, gripOf };
}
