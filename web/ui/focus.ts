import { useLayoutEffect, useRef } from "preact/hooks";

/** Moves the focus because of a key or a press, and only from the handler of that event. */
export function leadFocus(to: HTMLElement | null | undefined, how?: FocusOptions): void {
  to?.focus(how);
}

/**
 * Moves the focus without a key or a press, and without scrolling. It moves only from within `from`, from
 * an element around `to`, or from nowhere: elsewhere somebody may be typing, and the keys would act here.
 */
export function giveFocus(to: HTMLElement | null | undefined, from?: Element | null): void {
  const at = document.activeElement ?? document.body;
  if (!to || !(at.contains(to) || from?.contains(at) === true)) return;
  autoFocused = to;
  to.focus({ preventScroll: true });
}

/** The element that `giveFocus` focused last: no key led there. */
export let autoFocused: EventTarget | null = null;

/** The main part of the screen, made focusable. */
export function contentOf(document: Document): HTMLElement | null {
  const content = document.getElementById("content");
  // A scrolling one may have the tab index 0, which stays.
  if (content !== null && content.tabIndex < 0) content.tabIndex = -1;
  return content;
}

/** Whether keys are text there, and no commands. */
export const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches("input:not([type=checkbox], [type=radio]), textarea, select"));

type Find = () => HTMLElement | null | undefined;

/**
 * Event handlers for an element whose focused child may be removed, as an answer is once it was sent. `keep`
 * is called when a child takes the focus, and returns how to find the element that takes it next.
 */
export function useFocusRestoration(keep: (at: Element, place: HTMLElement) => Find) {
  const lastFocus = useRef<{ readonly at: Element; readonly find: Find } | null>(null);
  useLayoutEffect(() => {
    if (lastFocus.current?.at.isConnected === false) giveFocus(lastFocus.current.find());
  });
  return {
    onFocusIn: ({ target: at, currentTarget: place }: FocusEvent) => {
      if (at instanceof Element && place instanceof HTMLElement)
        lastFocus.current = { at, find: keep(at, place) };
    },
    onFocusOut: ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (target instanceof Element && target.isConnected && lastFocus.current?.at === target)
          lastFocus.current = null;
      }),
  };
}
