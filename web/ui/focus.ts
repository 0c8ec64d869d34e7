import { useLayoutEffect, useRef } from "preact/hooks";

/** Leads the focus where a key or a press of the person asks for it, and only from the handler of one. */
export function leadFocus(to: HTMLElement | null | undefined, how?: FocusOptions): void {
  to?.focus(how);
}

/**
 * Sets the focus by itself, without scrolling: out of `from`, what it takes the place of, or from
 * around it, as where the focus is nowhere. It is never taken from anywhere else, since keys that
 * somebody types there would act here.
 */
export function giveFocus(to: HTMLElement | null | undefined, from?: Element | null): void {
  const at = document.activeElement ?? document.body;
  if (!to || !(at.contains(to) || from?.contains(at) === true)) return;
  autoFocused = to;
  to.focus({ preventScroll: true });
}

/** Where the focus came by itself last, and nobody has walked to. */
export let autoFocused: EventTarget | null = null;

/** What a screen holds, made ready to take the focus. */
export function contentOf(document: Document): HTMLElement | null {
  const content = document.getElementById("content");
  // One that scrolls may be a stop of its own.
  if (content !== null && content.tabIndex < 0) content.tabIndex = -1;
  return content;
}

/** Where keys are letters. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio]), textarea, select"));

type Find = () => HTMLElement | null | undefined;

/**
 * Where what has the focus within an element goes, as an answer that was sent does, the focus goes on:
 * `keep` is told when something takes it, and gives what finds the next. Handlers for the element.
 */
export function useFocusRestoration(keep: (at: Element, place: HTMLElement) => Find) {
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
