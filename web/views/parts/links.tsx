import type { ComponentChildren, JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { IconButton, type IconName } from "../../ui/button.tsx";

/** A link within this page; with a modifier key it opens as any link of the browser does. */
export function InnerLink(props: {
  readonly hash: string;
  readonly class: string;
  /** Its page is on the screen beside it. */
  readonly isShown?: boolean;
  /** The id of its row, in a list that keys walk through. */
  readonly row?: string;
  /** Called on a press in place of going to `hash`. */
  readonly onOpen?: (() => void) | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { router } = useBrowser();
  const { hash, isShown = false, row, onOpen = () => router.go(hash), children } = props;
  return (
    <a
      class={props.class}
      href={hash}
      aria-current={isShown ? "true" : undefined}
      data-row={row}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen();
      }}
    >
      {children}
    </a>
  );
}

/** Opens a sheet, of one pane where `paneId` is given. */
export function SheetButton(props: {
  readonly icon: IconName;
  readonly label: string;
  readonly opens: string;
  readonly paneId?: string;
  readonly class?: string;
}): JSX.Element {
  const { opens, paneId, ...rest } = props;
  const { router } = useBrowser();
  return <IconButton {...rest} aria-haspopup="dialog" onClick={() => router.show(opens, paneId)} />;
}
