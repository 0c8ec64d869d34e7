import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { askedFor, failed, waits, type Pane } from "../../model/pane.ts";
import { agentOf, type Slot } from "../../model/queue/order.ts";
import { agentHash, paneHash } from "../../state/browser/router.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Facts } from "../agents/now.tsx";
import { useShown } from "../answer/prompt.tsx";
import { SetUp } from "./set-up.tsx";
import { PaneFacts } from "../pane/inspector.tsx";
import { DockedPrompt } from "../pane/docked.tsx";
import { usePane } from "../parts/derived.ts";
import { Excerpt } from "../parts/excerpt.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";
import { Place, TerminalText } from "../parts/text.tsx";
import { AgentTile, Tile } from "../parts/tile.tsx";
import { KeyHints } from "./key-hints.tsx";
import { ChangedSection, SaidSection, ScreenSection } from "./sections.tsx";
import { nameOf } from "../agents/use.ts";
import { AgentAsks } from "./agent.tsx";
import { useAgentCard, type AgentCardProps } from "./agent-card.ts";
import { BesideFoot } from "./beside-foot.tsx";
import { FailedBody } from "./card.tsx";
import { NothingWaits } from "./empty.tsx";
import { giveFocus, isField } from "../../ui/focus.ts";

/** What stands behind one row: its pane, what is known of its agent, or both. */
export interface Chosen {
  readonly slot: Slot;
  readonly pane: Pane | null;
  readonly known: AgentCardProps | null;
}

/** The row that is selected; null while nothing stands in the list. */
function useChosen(): Chosen | null {
  const { queue } = useServer();
  const key = queue.chosen.key.value;
  const slot = Object.values(queue.order.value)
    .flat()
    .find((one) => one.key === key);
  const pane = usePane(slot?.paneId ?? "").value;
  const known = useAgentCard(slot === undefined ? null : agentOf(slot.key));
  return slot === undefined || (pane === null && known === null) ? null : { slot, pane, known };
}

/** The card of the selected row: what it asks about, what changed, what its screen shows, what was said. */
export function QueueBeside(): JSX.Element {
  const { picks, queue } = useServer();
  const { layout } = useBrowser();
  const keys = queue.keys.value;
  useEffect(() => queue.chosen.settle(), [keys]);
  const chosen = useChosen();
  if (chosen === null)
    return (
      <main class="pane beside" id="content">
        {keys.length > 0 && (
          <Empty title="Choose a row" text="What an agent changes or asks appears here." />
        )}
        {keys.length === 0 && (
          <div class="scroll">
            <NothingWaits />
            <SetUp />
          </div>
        )}
      </main>
    );
  const { known, pane, slot } = chosen;
  const hasInspector = layout.hasThird.value;
  // Nothing docks in a low window: the answer is read in its place.
  const isLow = !hasInspector && layout.isLow.value;
  return (
    <main
      class="pane beside"
      id="content"
      aria-label={nameOfChosen(chosen)}
      data-agent={known?.card.agentId}
      data-pane={pane?.id}
    >
      <BesideHeader {...chosen} />
      <div
        key={slot.key}
        class="scroll beside-body"
        tabIndex={0}
        role="region"
        aria-label="What changed"
      >
        {pane !== null && <About pane={pane} />}
        {known !== null && <ChangedSection {...known} />}
        {isLow && <Answer {...chosen} isDocked={false} />}
        {pane !== null && hasInspector && !waits(pane) && <ScreenSection pane={pane} />}
        {known !== null && <SaidSection {...known} isWhole={hasInspector} />}
      </div>
      {hasInspector ? (
        <KeyHints of={picks.isOn.value ? "pick" : "answer"} />
      ) : (
        <>
          {!isLow && <Answer key={slot.key} {...chosen} isDocked />}
          <BesideFoot key={`foot ${slot.key}`} {...chosen} />
        </>
      )}
    </main>
  );
}

/** What a person calls it: as its pane is called, else as its session is. */
const nameOfChosen = ({ pane, known }: Chosen): string =>
  pane?.name ?? (known === null ? "" : nameOf((known.card.latest ?? known.card.drawn).agent, null));

/** The third column: what the selected card asks, what is known of its work, and what is done with it. */
export function QueueInspector(): JSX.Element {
  const chosen = useChosen();
  return (
    <aside class="column answer-column" aria-label="Answer">
      {chosen !== null && (
        <>
          <div class="inspector scroll" tabIndex={0} role="region" aria-label="Context">
            <Answer key={chosen.slot.key} {...chosen} isDocked={false} />
            {chosen.known !== null && (
              <Facts agent={(chosen.known.card.latest ?? chosen.known.card.drawn).agent} isBrief />
            )}
            {chosen.known === null && chosen.pane !== null && <PaneFacts pane={chosen.pane} />}
          </div>
          <BesideFoot key={chosen.slot.key} {...chosen} />
        </>
      )}
    </aside>
  );
}

/** The command or file that it asks for, and the lines that tell of it. */
function About({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const { shown } = useShown(pane);
  if (!waits(shown) && !failed(shown)) return null;
  const asked = waits(shown) ? askedFor(shown) : null;
  return (
    <section>
      {asked !== null && (
        <h2 class="beside-about">
          <TerminalText text={asked} />
        </h2>
      )}
      {waits(shown) && <Excerpt pane={shown} />}
    </section>
  );
}

/** What it asks, with its answers: in a column of its own, or docked below what changed. */
function Answer(props: Chosen & { readonly isDocked: boolean }): JSX.Element | null {
  const { pane, known, isDocked } = props;
  const { acts } = useServer();
  const card = useRef<HTMLElement>(null);
  const agentId = known?.card.agentId ?? null;
  const answer = pane === null ? null : acts.of(pane.id).value;
  if (pane !== null && (waits(pane) || (answer !== null && !failed(pane))))
    return (
      <DockedPrompt pane={pane} isDocked={isDocked}>
        {agentId !== null && <AgentAsks agentId={agentId} asked={pane.question ?? ""} />}
      </DockedPrompt>
    );
  const hasFailed = pane !== null && failed(pane);
  const asks = known !== null && (known.card.latest?.decisions.length ?? 0) > 0;
  if (!hasFailed && !asks) return null;
  return (
    <section
      ref={card}
      class={isDocked ? "docked" : "card inspector-prompt"}
      aria-label="Answer"
      data-agent={agentId ?? undefined}
    >
      <div class={isDocked ? "docked-body scroll" : ""}>
        {hasFailed && <FailedBody pane={pane} answer={answer} card={card} />}
        {agentId !== null && <AgentAsks agentId={agentId} asked={null} />}
      </div>
    </section>
  );
}

/** Who is led on begins at its name. */
function BesideHeader(chosen: Chosen): JSX.Element {
  const { pane, known, slot } = chosen;
  const { config, queue } = useServer();
  const { router } = useBrowser();
  const { led, place } = queue.chosen;
  const heading = useRef<HTMLHeadingElement>(null);
  const seen = useRef(led.value);
  useLayoutEffect(() => {
    const at = document.activeElement;
    if (seen.current !== led.value) giveFocus(heading.current, isField(at) ? null : at);
    seen.current = led.value;
  }, [led.value]);
  useLayoutEffect(() => {
    // What led here is gone with the screen it stood on; a page that loads takes no focus.
    if (router.visit.peek() > 1) giveFocus(heading.current);
  }, []);
  const agent = known === null ? null : (known.card.latest ?? known.card.drawn).agent;
  return (
    <header class="pane-header">
      {pane !== null ? <Tile pane={pane} status /> : agent !== null && <AgentTile agent={agent} />}
      <div class="grow">
        <h1 class="truncate" ref={heading} tabIndex={-1}>
          <span class="visually-hidden">{`${place.value} of ${queue.keys.value.length}`}, </span>
          <TerminalText text={nameOfChosen(chosen)} />
        </h1>
        <p class="truncate">
          {pane !== null ? (
            <Place pane={pane} />
          ) : (
            agent !== null && (
              <TerminalText text={config.labels.value[agent.runtime] ?? agent.runtime} />
            )
          )}
        </p>
      </div>
      <Ways agentId={agentOf(slot.key)} paneId={pane?.id ?? null} />
    </header>
  );
}

/** To the agent's page, and to its pane. */
function Ways(props: {
  readonly agentId: string | null;
  readonly paneId: string | null;
}): JSX.Element {
  const { agentId, paneId } = props;
  const { layout, router } = useBrowser();
  const hasKeys = layout.columns.value === 3;
  const ways = [
    { label: "Agent page", icon: "info", keys: "d", hash: agentId && agentHash(agentId) },
    { label: "Open pane", icon: "terminal", keys: "o", hash: paneId && paneHash(paneId) },
  ] as const;
  return (
    <>
      {ways.map(({ label, icon, keys, hash }) => {
        if (hash === null) return null;
        const go = () => router.go(hash);
        return hasKeys ? (
          <Button key={label} size="small" onClick={go}>
            {label}
            <KeyCaps keys={keys} />
          </Button>
        ) : (
          <IconButton key={label} icon={icon} label={label} onClick={go} />
        );
      })}
    </>
  );
}
