import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import type { IconName } from "../../ui/icons.tsx";

/** Opens a sheet, about one pane where it is given. */
export function SheetButton(props: {
  readonly icon: IconName;
  readonly label: string;
  /** Name of the sheet. */
  readonly opens: string;
  readonly paneId?: string;
  readonly class?: string;
}): JSX.Element {
  const { opens, paneId, ...rest } = props;
  const { router } = useBrowser();
  return <IconButton {...rest} aria-haspopup="dialog" onClick={() => router.show(opens, paneId)} />;
}
