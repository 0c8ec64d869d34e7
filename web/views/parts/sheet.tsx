// Sheet: the modal dialog of ui/sheet.tsx, closed through the router unless told otherwise.
// Confirm: asks once more before something that cannot be taken back: says what goes, offers to keep it.
// Props of Confirm: title, act (label, onPress, isDanger, isOff), keepLabel, children (what it means).
import type { ComponentChildren, JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Sheet as Dialog, type SheetProps } from "../../ui/sheet.tsx";
import { common } from "../../words/common.ts";

type Given = Partial<Pick<SheetProps, "closeLabel" | "onClose">>;

export function Sheet(props: Omit<SheetProps, keyof Given> & Given): JSX.Element {
  const { router } = useBrowser();
  return <Dialog closeLabel={common.close} onClose={() => router.close()} {...props} />;
}

export function Confirm(props: {
  readonly title: string;
  readonly act: {
    readonly label: string;
    readonly onPress: () => void;
    readonly isDanger?: boolean;
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
          <Button
            tone={act.isDanger === true ? "danger" : "primary"}
            size="block"
            disabled={act.isOff}
            onClick={act.onPress}
          >
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
