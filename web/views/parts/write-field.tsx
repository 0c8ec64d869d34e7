// WriteText, and the round button that sends it. Further props: see (what was on the screen when the press
// began), send (gets that, and when), sendLabel, isOff (nothing can be sent). The same press guards the
// button and the key.
import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { usePress } from "../answer/press.ts";
import { type TextProps, WriteText } from "./write-text.tsx";

export function WriteField<Seen>(
  props: TextProps & {
    readonly see: () => Seen;
    /** `pressedAt` is in monotonic milliseconds. */
    readonly send: (seen: Seen, pressedAt: number) => void;
    readonly sendLabel: string;
    readonly isOff: boolean;
  },
): JSX.Element {
  const { see, send, sendLabel, isOff, ...text } = props;
  const { clock } = useBrowser();
  const press = usePress(see, send);
  return (
    <>
      <WriteText {...text} onSend={() => send(see(), clock.monotonicMs())} />
      <button
        type="button"
        class="send center rigid round"
        aria-label={sendLabel}
        disabled={isOff}
        {...press}
      >
        <Icon name="send" />
      </button>
    </>
  );
}
