import type { JSX } from "preact";
import { appearanceOf, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";
import { pane as words } from "../../words/pane.ts";
import { COPY_LINES, copyLast } from "../parts/copy.ts";
import { useNextWaiting, useWaitingCount } from "../parts/derived.ts";
import { Star } from "../parts/row.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Tile } from "../parts/tile.tsx";
import { SheetButton } from "../parts/sheet-button.tsx";
import { Head } from "../parts/head.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";

/** The bar of a pane that covers the whole screen. */
export function NarrowHeader({ pane }: { readonly pane: Pane }): JSX.Element {
  const others = useWaitingCount(pane.id);
  const appearance = appearanceOf(pane);
  return (
    <Head
      back={{
        label: words.backToQueue(others),
        text: others > 0 && <span class="numbers">{others}</span>,
      }}
      title={<Name pane={pane} />}
      second={
        <>
          <StatusIcon shape={appearance} label={common.status[appearance]} />
          <Place pane={pane} />
        </>
      }
      end={
        <>
          <SheetButton icon="info" label={words.why} opens="explain" paneId={pane.id} />
          <SheetButton icon="dots" label={words.more} opens="pane-menu" paneId={pane.id} />
        </>
      }
    />
  );
}

const Name = ({ pane }: { readonly pane: Pane }): JSX.Element => (
  <>
    <TerminalText text={pane.name} /> <Star pane={pane} />
  </>
);

/** The header of a pane beside a list, with its tools at hand. */
export function WideHeader({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { layout, router } = client.browser;
  const next = useNextWaiting(pane.id);
  return (
    <Head
      tile={<Tile pane={pane} status />}
      title={<Name pane={pane} />}
      second={<Place pane={pane} />}
      end={
        <>
          {next !== null && (
            <Button size="small" onClick={() => router.replacePane(next.id)}>
              {words.nextWaiting}
              {layout.columns.value === 3 ? (
                <KeyCaps keys="n" />
              ) : (
                <Icon name="next" class="small" />
              )}
            </Button>
          )}
          <div class="pane-tools">
            <TerminalToolButtons pane={pane} />
            <SheetButton icon="info" label={words.why} opens="explain" paneId={pane.id} />
            <SheetButton icon="dots" label={words.more} opens="pane-menu" paneId={pane.id} />
          </div>
        </>
      }
    />
  );
}

function TerminalToolButtons({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { preferences, terminal } = client.browser;
  const { wrap } = preferences.current.value;
  return (
    <>
      <SheetButton icon="textSize" label={words.textSize} opens="pane-menu" paneId={pane.id} />
      <IconButton
        icon="wrap"
        label={words.wrap}
        aria-pressed={wrap}
        onClick={() => preferences.set({ wrap: !wrap })}
      />
      <IconButton
        icon="search"
        label={words.find}
        aria-pressed={terminal.isFinding.value}
        onClick={() => {
          terminal.isFinding.value = !terminal.isFinding.value;
        }}
      />
      <CopyButton pane={pane} />
    </>
  );
}

function CopyButton({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const label = words.copyLast(COPY_LINES);
  return <IconButton icon="copy" label={label} onClick={() => copyLast(client, pane)} />;
}

/** Below a low terminal nothing docks: its tools stand in one thin bar. */
export function LowTools({ pane }: { readonly pane: Pane }): JSX.Element {
  const { terminal } = useBrowser();
  const hasInput = terminal.hasInput.value;
  return (
    <div class="low-tools">
      <IconButton
        icon="keyboard"
        label={words.keysAndMessage}
        aria-pressed={hasInput}
        onClick={() => {
          terminal.hasInput.value = !hasInput;
        }}
      />
      <span class="grow" />
      <TerminalToolButtons pane={pane} />
      <IconButton
        icon="toEnd"
        label={words.follow}
        aria-pressed={terminal.isFollowing.value}
        onClick={() => {
          terminal.isFollowing.value = !terminal.isFollowing.value;
        }}
      />
    </div>
  );
}
