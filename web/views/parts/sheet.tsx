import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useBrowser } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { giveFocus, leadFocus } from "../../ui/focus.ts";
import { common } from "../../words/common.ts";

const FOCUSABLE =
  'button:not([disabled]), a[href], input:not([disabled]), textarea:not([disabled]), select:not([disabled]), [tabindex]:not([tabindex="-1"])';

/** On the page behind the sheets; messages above a sheet do not have it. */
const BEHIND = "data-behind-sheets";

/** A modal dialog. The focus goes into it, stays in it and returns to its opener. */
export function Sheet(props: {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Stays below the scrolling part. */
  readonly footer?: ComponentChildren;
  readonly headerEnd?: ComponentChildren;
  /** To the sheet that this one was opened from. */
  readonly back?: { readonly label: string; readonly onBack: () => void };
  readonly class?: string;
  /** Takes the focus instead of the sheet itself. */
  readonly initialFocus?: { readonly current: HTMLElement | null };
  /** `menu` hangs below the header of a pane; `sheet` rises from below, centred where there is room. */
  readonly kind?: "sheet" | "menu" | "palette";
}): JSX.Element {
  const { title, children, footer, headerEnd, back, kind = "sheet" } = props;
  const { router } = useBrowser();
  const close = () => router.close();
  const titleId = useId();
  const box = useRef<HTMLDivElement>(null);
  useFocusInside(box, props.initialFocus);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") keepFocusInside(event, box.current);
  };
  return (
    <div class={`scrim middle scrim-${kind}`}>
      <button
        type="button"
        class="scrim-close"
        tabIndex={-1}
        aria-label={common.close}
        onClick={close}
      />
      <div
        ref={box}
        class={`sheet stack full relative clip sheet-${kind} ${props.class ?? ""}`}
        role="dialog"
        aria-modal="true"
        aria-labelledby={titleId}
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <header class={kind === "sheet" ? "sheet-header flex rigid gap-8" : "visually-hidden"}>
          {back !== undefined && (
            <IconButton icon="back" class="sheet-back" label={back.label} onClick={back.onBack} />
          )}
          <h2 id={titleId}>{title}</h2>
          {headerEnd}
          {kind === "sheet" && back === undefined && (
            <IconButton icon="close" label={common.close} onClick={close} />
          )}
        </header>
        <div class="sheet-body fills scrolls" tabIndex={0}>
          {children}
        </div>
        {footer && <footer class="sheet-footer rigid rule">{footer}</footer>}
      </div>
    </div>
  );
}

/** Asks before an act that cannot be undone. */
export function Confirm(props: {
  readonly title: string;
  readonly act: {
    readonly label: string;
    readonly onPress: () => void;
    readonly isOff?: boolean;
  };
  readonly keepLabel?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, act, keepLabel = common.cancel, children } = props;
  const { router } = useBrowser();
  return (
    <Sheet
      title={title}
      footer={
        <div class="sheet-buttons grid gap-8">
          <Button tone="danger" size="block" disabled={act.isOff} onClick={act.onPress}>
            {act.label}
          </Button>
          <Button size="block" onClick={() => router.close()}>
            {keepLabel}
          </Button>
        </div>
      }
    >
      {children}
    </Sheet>
  );
}

function useFocusInside(
  box: { readonly current: HTMLElement | null },
  initialFocus: { readonly current: HTMLElement | null } = box,
): void {
  // Before anything is painted, since keys pressed at once belong to the sheet.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const within = box.current;
    setBehind(true);
    // A person opened the sheet, and nothing behind it can be reached.
    if (!box.current?.contains(opener)) giveFocus(initialFocus.current, opener);
    return () => {
      setBehind(false);
      if (opener instanceof HTMLElement && opener.isConnected) giveFocus(opener, within);
    };
  }, [box]);
}

/** Called once the sheet is drawn: while it loads, the page behind it can still be used. */
function setBehind(isBehind: boolean): void {
  for (const page of document.querySelectorAll(`[${BEHIND}]`))
    page.toggleAttribute("inert", isBehind);
}

function keepFocusInside(event: KeyboardEvent, box: HTMLElement | null): void {
  const items = [...(box?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
  const first = items[0];
  const last = items.at(-1);
  const active = document.activeElement;
  if (event.shiftKey && (active === first || active === box)) {
    event.preventDefault();
    const chosen = items.find((item) => stopOf(item) === stopOf(last) && item.matches(":checked"));
    leadFocus(chosen ?? last);
  } else if (!event.shiftKey && stopOf(active) === stopOf(last)) {
    event.preventDefault();
    leadFocus(first);
  }
}

/** Radio buttons of one name are one tab stop. */
const stopOf = (item: Element | null | undefined) =>
  item instanceof HTMLInputElement && item.type === "radio" ? item.name : item;
