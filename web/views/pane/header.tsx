import type { JSX } from "preact";
import { sinceOf } from "../../../src/protocol/card-place.ts";
import { appearanceOf, isAgent, waits, type Pane } from "../../model/pane.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { common, waitText } from "../../words/common.ts";
import { pane as words } from "../../words/pane.ts";
import { COPY_LINES, copyLast } from "../parts/copy.ts";
import { useDerived, useNextWaiting, useWaitingCount } from "../parts/derived.ts";
import { Star } from "../parts/row.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { Tile } from "../parts/tile.tsx";
import { SheetButton } from "../parts/sheet-button.tsx";
import { Head } from "../parts/head.tsx";
import { Wait } from "../parts/wait.tsx";
import { PageTabs, type Page } from "./tabs.tsx";

/** The name of a pane, what its agent does, and where; at a desk its tabs stand beside them. */
export function PaneHead({
  pane,
  page,
}: {
  readonly pane: Pane;
  readonly page: Page;
}): JSX.Element {
  const client = useClient();
  const { layout, router } = client.browser;
  const others = useWaitingCount(pane.id);
  const next = useNextWaiting(pane.id);
  const { value: columns } = layout.columns;
  return (
    <Head
      back={
        columns > 1
          ? null
          : {
              label: words.backToQueue(others),
              text: others > 0 && <span class="numbers">{others}</span>,
            }
      }
      tile={<Tile pane={pane} status />}
      title={
        <>
          <TerminalText text={pane.name} /> <Star pane={pane} />
        </>
      }
      second={
        <>
          {columns === 1 && <Doing pane={pane} />}
          <Place pane={pane} />
        </>
      }
      end={
        <>
          {columns === 2 && next !== null && (
            <Button size="small" onClick={() => router.replace(client.pageHash(next))}>
              Next waiting
              <Icon name="next" class="small" />
            </Button>
          )}
          {layout.hasThird.value && <PageTabs page={page} />}
          <SheetButton icon="dots" label="More" opens="pane-menu" paneId={pane.id} />
        </>
      }
    />
  );
}

/** "Working 12 min ·" before the place of a pane. */
function Doing({ pane }: { readonly pane: Pane }): JSX.Element {
  const { clock } = useBrowser();
  const appearance = appearanceOf(pane);
  const isTimed = appearance === "working" && isAgent(pane);
  const time = useDerived(
    () => (isTimed ? ` ${waitText(clock.now.value - sinceOf(pane))}` : ""),
    [pane, isTimed],
  );
  if (waits(pane))
    return (
      <>
        <Wait pane={pane} />
        <span>·</span>
      </>
    );
  return (
    <>
      <StatusIcon shape={appearance} />
      <span class="no-shrink">
        {common.status[appearance]}
        {time} ·
      </span>
    </>
  );
}

function TerminalToolButtons({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { preferences, terminal } = client.browser;
  const { wrap } = preferences.current.value;
  return (
    <>
      <SheetButton icon="textSize" label="Text size" opens="pane-menu" paneId={pane.id} />
      <IconButton
        icon="wrap"
        label="Wrap lines"
        aria-pressed={wrap}
        onClick={() => preferences.set({ wrap: !wrap })}
      />
      <IconButton
        icon="search"
        label="Find in output"
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
        label="Keys and message"
        aria-pressed={hasInput}
        onClick={() => {
          terminal.hasInput.value = !hasInput;
        }}
      />
      <span class="grow" />
      <TerminalToolButtons pane={pane} />
      <IconButton
        icon="toEnd"
        label="Follow the tail"
        aria-pressed={terminal.isFollowing.value}
        onClick={() => {
          terminal.isFollowing.value = !terminal.isFollowing.value;
        }}
      />
    </div>
  );
}
