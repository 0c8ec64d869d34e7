import { useLayoutEffect, useRef } from "preact/hooks";
import { giveFocus } from "../../ui/focus.ts";

type Find = () => HTMLElement | null | undefined;

/**
 * Where what has the focus within an element goes, as an answer that was sent does, the focus goes on:
 * `keep` is told when something takes it, and gives what finds the next. Handlers for the element.
 */
export function useKeptFocus(keep: (at: Element, place: HTMLElement) => Find) {
  const kept = useRef<{ readonly at: Element; readonly find: Find } | null>(null);
  useLayoutEffect(() => {
    if (kept.current?.at.isConnected === false) giveFocus(kept.current.find());
  });
  return {
    onFocusIn: ({ target: at, currentTarget: place }: FocusEvent) => {
      if (at instanceof Element && place instanceof HTMLElement)
        kept.current = { at, find: keep(at, place) };
    },
    onFocusOut: ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (target instanceof Element && target.isConnected && kept.current?.at === target)
          kept.current = null;
      }),
  };
}
