import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { holdsAnswers } from "../../model/attempt.ts";
import { waits } from "../../model/pane.ts";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";
import { Prompt, useShown } from "../answer/prompt.tsx";
import { useNextWaiting, usePane, useWaitingCount } from "../parts/derived.ts";
import { Place, TerminalText } from "../parts/text.tsx";
import { SheetButton } from "../parts/sheet-button.tsx";
import { Tile } from "../parts/tile.tsx";
import { Wait } from "../parts/wait.tsx";
import { useUnread } from "../answer/unread.ts";

import type { Pane } from "../../model/pane.ts";
import { BackButton } from "../parts/head.tsx";

/** The open pane's card beside a terminal that is too low to dock anything: no excerpt, the terminal shows it. */
export function SideCard({ id }: { readonly id: string }): JSX.Element {
  const { router } = useBrowser();
  const pane = usePane(id).value;
  const next = useNextWaiting(id);
  const waiting = useWaitingCount();
  return (
    <>
      <header class="bar plain">
        <BackButton text={common.tabs[router.tab.value]} />
        {waiting > 0 && <span class="badge numbers">{waiting}</span>}
        <span class="grow" />
        {next !== null && (
          <Button tone="plain" size="small" onClick={() => router.replacePane(next.id)}>
            Next
            <Icon name="next" class="small" />
          </Button>
        )}
        <SheetButton icon="dots" label="More" opens="pane-menu" paneId={id} />
      </header>
      <div class="scroll side-card">{pane !== null && <SideCardBody key={id} pane={pane} />}</div>
    </>
  );
}

function SideCardBody({ pane }: { readonly pane: Pane }): JSX.Element {
  const card = useRef<HTMLElement>(null);
  const { shown, answer } = useShown(pane);
  const isUnread = useUnread(shown);
  return (
    <section ref={card} aria-label="Prompt">
      <div class="card-header">
        <Tile pane={shown} />
        <div class="grow">
          <h1 class="name truncate">
            <TerminalText text={shown.name} />
          </h1>
          <div class="where truncate">
            <Place pane={shown} />
          </div>
        </div>
        <Wait pane={shown} isCalm={holdsAnswers(answer)} />
      </div>
      {waits(shown) && (
        <Prompt pane={shown} answer={answer} card={card} withExcerpt={isUnread} headingLevel={2} />
      )}
    </section>
  );
}
