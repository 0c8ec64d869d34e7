import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { appearanceOf, takesInput, waits, type Pane } from "../../model/pane.ts";
import { unknownWord } from "../../model/work.ts";
import { SCREEN, type PageTab } from "../../state/browser/router.ts";
import { useBrowser, useClient, useServer } from "../../state/client.ts";
import { Empty } from "../../ui/notice.tsx";
import { useWorkspace } from "../agents/use.ts";
import { useFreeform } from "../answer/option.tsx";
import { Banner } from "../parts/screen-header.tsx";
import { HostAway } from "../hosts/hosts.tsx";
import { ChatTab } from "../agents/page.tsx";
import { ChangesTab } from "../changes/page.tsx";
import { Parked } from "../parked/parked.tsx";
import { ContextBar } from "../parts/facts.tsx";
import { useLastPane, usePane } from "../parts/derived.ts";
import { BackButton } from "../parts/head.tsx";
import { WaitingDock } from "../waiting/dock.tsx";
import { Composer } from "./composer.tsx";
import { PaneCard } from "./card.tsx";
import { PageTabs, PaneHead, usePage } from "./head.tsx";
import { LowTools } from "./menu.tsx";
import { Terminal } from "./terminal.tsx";
import { stripNames } from "../parts/key-caps.tsx";
import { notSent } from "../../words/refusals.ts";
import { usePress, useSteadyPrompt } from "../answer/press.ts";

const GONE = "This pane is gone";
const KEPT = "A text that was not sent is kept in All.";
const GONE_TEXT = `It was closed, or its session was started anew. ${KEPT}`;
const IDLE_TEXT = `Its shell is idle, which is not listed, or it was closed. ${KEPT}`;

export function PaneScreen({ id }: { readonly id: string }): JSX.Element {
  const client = useClient();
  const { panes } = client.server;
  const { layout, preferences, router, terminal } = client.browser;
  const isReading = () => router.savedPosition(SCREEN)?.keys[0] === id;
  // Before its parts are drawn: the card repeats the lines of a question that the terminal may not show.
  terminal.open(id, preferences.current.value.follow && !isReading());
  const pane = usePane(id).value;
  const last = useLastPane(id);
  const page = usePage(id, last);
  const agent = useWorkspace()?.agentRow(page.agentId) ?? null;
  useLayoutEffect(() => {
    // Another pane was opened in this entry: who comes back to that one sees its end.
    if (!isReading()) router.savePosition(SCREEN, null);
    return () => {
      if (router.openPane.peek() !== id) terminal.leave(id);
    };
  }, [id]);
  // A pane that is gone asks nothing and takes no input.
  const shown = pane ?? (last && { ...last, status: "offline", actionable: false });
  const columns = layout.columns.value;
  const hasThird = layout.hasThird.value;
  const isNarrow = columns === 1;
  const isLow = layout.isLow.value;
  const hasHead = isNarrow || !isLow;
  const tabs = <PageTabs page={page} />;
  const hasTabsInHead = hasHead && (isLow || hasThird);
  if (shown === null)
    return (
      <main class="pane stack relative" id="content">
        {isNarrow && panes.isLoaded.value && (
          <header class="bar flex rigid ground rule-below">
            <BackButton text="Back" />
          </header>
        )}
        {panes.isLoaded.value && <Empty title={GONE} text={GONE_TEXT} level={1} />}
      </main>
    );
  return (
    <main class={`pane stack relative ${isLow ? "low" : ""}`} id="content" aria-label={shown.name}>
      {hasHead && <PaneHead pane={shown} tabs={hasTabsInHead && tabs} />}
      {isNarrow && <Banner />}
      {!hasTabsInHead && tabs}
      {!isLow && <ContextBar pane={shown} agent={agent} />}
      <div class="pane-body fills">
        <div class="stack grow">
          <div class="pane-body fills relative">
            {page.tab === "screen" && <Terminal key={id} pane={shown} />}
            {page.tab === "chat" && (
              <ChatTab key={page.agentId} id={page.agentId ?? ""} at={page.at} />
            )}
            {page.tab === "changes" && <ChangesTab key={id} id={id} path={page.at} />}
          </div>
          {isLow && page.tab === "screen" && <LowTools pane={shown} />}
          <Foot key={id} pane={shown} tab={page.tab} isGone={pane === null} />
        </div>
        {/* Two columns have it in the place of the list. */}
        {isLow && columns !== 2 && (
          <div class="side-prompt scroll rigid">
            {!hasThird && <Parked pane={shown} class="card" />}
            <WaitingDock pane={shown} />
            {!hasThird && <PaneCard key={id} pane={shown} size="beside" tab={page.tab} />}
          </div>
        )}
      </div>
    </main>
  );
}

function Foot(props: {
  readonly pane: Pane;
  readonly tab: PageTab;
  readonly isGone: boolean;
}): JSX.Element {
  const { pane, tab, isGone } = props;
  const server = useServer();
  const { layout, terminal } = useBrowser();
  const freeform = useFreeform(pane);
  const { text, images } = server.drafts.of(pane).value;
  const isLow = layout.isLow.value;
  const isBeside = layout.hasThird.value;
  const isDocked = !isBeside && !isLow;
  // A low screen has its keys behind a button, which stands below the terminal alone.
  const isOpen = isLow && tab === "screen" ? terminal.hasInput.value : freeform === null;
  const hasInput = isGone || isOpen;
  const hasText = text !== "" || images.length > 0;
  return (
    <>
      {isDocked && <Parked pane={pane} class="docked stack relative" />}
      {isDocked && <PaneCard size="docked" {...{ pane, tab }} />}
      {!isLow && <WaitingDock pane={pane} />}
      {hasInput && (
        <footer class="pane-foot relative rigid rule">
          <InputNotice {...{ pane, isGone }} isSaid={waits(pane) && (isDocked || isBeside)} />
          {server.may("type") && !isGone && tab === "screen" && <Keys pane={pane} />}
          {server.may("type") && (!isGone || hasText) && <Composer pane={pane} />}
        </footer>
      )}
    </>
  );
}

function InputNotice(props: {
  readonly pane: Pane;
  readonly isGone: boolean;
  /** The prompt above it says why. */
  readonly isSaid: boolean;
}): JSX.Element | null {
  const { pane, isGone, isSaid } = props;
  const server = useServer();
  const isOffline = server.phase.value === "offline";
  const scope = server.may("answer") ? "answer" : "look";
  // An answer may have ended what ran in it.
  const mayBeIdle = pane.kind === "shell" && server.config.current.value?.include_shells === false;
  const gone = mayBeIdle ? IDLE_TEXT : `${GONE}. ${GONE_TEXT}`;
  const text = server.may("type")
    ? noticeFor(pane, isGone ? gone : null, isOffline)
    : `This device may only ${scope}.`;
  if (text === null) return null;
  if (pane.host && pane.stale && !isGone && !isOffline && !isSaid)
    return <HostAway name={pane.host} />;
  return (
    <p class="composer-note fs-13 text-2" role="status">
      {text}
    </p>
  );
}

function noticeFor(pane: Pane, gone: string | null, isOffline: boolean): string | null {
  if (gone !== null) return gone;
  if (isOffline) return "No connection. Your draft is kept.";
  const appearance = appearanceOf(pane);
  if (appearance === "offline") return "Not running. Input is off.";
  if (appearance === "stale") return "This pane cannot be read now. Input is off.";
  return unknownWord(pane) ?? (takesInput(pane) ? null : "This pane takes no input.");
}

export function NoPane(): JSX.Element {
  return (
    <main class="pane stack relative" id="content">
      <Empty title="Choose a row" text="It opens here." />
    </main>
  );
}

function Keys({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const server = useServer();
  const { config, outbox } = server;
  const { preferences } = useBrowser();
  // Here, since a key may come with the prompt that has just changed.
  const steadySince = useSteadyPrompt(pane);
  const allowed = new Set(config.allowedKeys.value);
  const keys = preferences.current.value.keys.filter(
    (key) => pane.capabilities.keys.includes(key) && (allowed.size === 0 || allowed.has(key)),
  );
  if (keys.length === 0) return null;
  const isOff = !takesInput(pane) || !server.can("type") || outbox.isDoubted(pane.id);
  return (
    <div
      class="keys flex scrolls-x gap-6"
      role="toolbar"
      aria-label="Keys"
      tabIndex={isOff ? 0 : undefined}
    >
      {keys.map((key) => (
        <Key key={key} name={key} {...{ pane, steadySince, isOff }} />
      ))}
    </div>
  );
}

function Key(props: {
  readonly name: string;
  readonly pane: Pane;
  readonly steadySince: () => number;
  readonly isOff: boolean;
}): JSX.Element {
  const { name, pane, steadySince, isOff } = props;
  const { acts } = useServer();
  const { messages } = useBrowser();
  const [label, spoken] = stripNames(name);
  const send = (shown: Pane, pressedAt: number) => {
    const press = { shown, pressedAt, steadySince: steadySince() };
    void acts.key(press, name).then((outcome) => {
      if (outcome?.step === "uncertain")
        messages.alert("It may not have arrived. Look at the terminal.");
      else if (outcome?.step === "refused") messages.alert(notSent(outcome.reason));
    });
  };
  const press = usePress(() => pane, send);
  return (
    <button
      type="button"
      class={`key relative rigid center fs-13 round-2 fill ${label.length > 2 ? "wide" : ""} ${name === "C-c" ? "text-error" : ""}`}
      aria-label={spoken}
      disabled={isOff}
      data-key={name}
      {...press}
    >
      {label}
    </button>
  );
}
