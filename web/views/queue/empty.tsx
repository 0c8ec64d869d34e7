import type { JSX } from "preact";
import { appearanceOf, isAgent, type Pane } from "../../model/pane.ts";
import { lastLine } from "../../model/work.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Settings } from "../../state/server/settings.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { Empty, Mark } from "../../ui/notice.tsx";
import { Section } from "../../ui/list.tsx";
import { count as plural } from "../../words/common.ts";
import { usePolling } from "../parts/query-status.tsx";
import { CopyLines } from "../parts/lines.tsx";
import { useDerived } from "../parts/derived.ts";
import { PaneRow, type RowLines } from "../parts/row.tsx";

const LOOK_EVERY_MS = 5000;

/** Nothing needs a person, or there is nothing to watch. */
export function NothingWaits({ isBrief = false }: { readonly isBrief?: boolean }): JSX.Element {
  const { config, panes } = useServer();
  // Hidden panes and the health of the multiplexer stand in the configuration, of which no event tells.
  usePolling(true, LOOK_EVERY_MS, () => config.load());
  const count = useDerived(() => panes.all.value.length, []);
  const { health, id, label } = useWatched();
  if (count > 0 || (health?.listed_panes ?? 0) > 0)
    return <NothingNeedsYou isBrief={isBrief} count={count} />;
  const isUnread = health !== null && health.status !== "ready";
  return (
    <Empty
      isBrief={isBrief}
      mark={!isBrief && <Mark />}
      title={isUnread ? `${label} cannot be read` : `No ${label} is running`}
      text={
        isUnread
          ? (health.message ?? health.last_error)
          : `panewatch sees agents that run inside ${label}.`
      }
    >
      {!isUnread && (
        <>
          <ol class="first-steps grid gap-12 full to-start surface round-4">
            <li>
              {`Start ${label} in a terminal`}
              <CopyLines text={id === "wsp" ? "herdr" : "tmux new -s work"} />
            </li>
            <li>
              Start an agent in it
              <CopyLines text="claude" />
            </li>
          </ol>
          <p class="fine">{`It appears here within a second. An agent outside ${label} is not seen.`}</p>
        </>
      )}
    </Empty>
  );
}

function NothingNeedsYou({
  isBrief,
  count,
}: {
  readonly isBrief: boolean;
  readonly count: number;
}) {
  const { panes } = useServer();
  const isWorking = (pane: Pane) => appearanceOf(pane) === "working";
  const working = useDerived(() => panes.all.value.filter(isWorking).map(({ id }) => id), []);
  // A shell that runs a command works too, but never asks.
  const agents = useDerived(
    () => panes.all.value.filter((pane) => isWorking(pane) && isAgent(pane)).length,
    [],
  );
  return (
    <>
      <Empty
        isBrief={isBrief}
        mark={!isBrief && <Mark lit={false} />}
        title="Nothing needs you"
        text={
          agents === 0
            ? "When an agent asks something, it comes here."
            : `${plural(agents, "agent is", "agents are")} working. The queue fills when one stops to ask.`
        }
      />
      <WatchedPanes count={count} />
      {working.length > 0 && (
        <Section title="Working in the background" count={working.length}>
          <ul class={isBrief ? "rows" : "list"}>
            {working.map((id) => (
              <PaneRow key={id} id={id} linesOf={saidIn} />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

const saidIn = (pane: Pane): RowLines => ({ mono: lastLine(pane) });

function WatchedPanes({ count }: { readonly count: number }): JSX.Element {
  const server = useServer();
  const settings = usePart(Settings);
  const { router } = useBrowser();
  const { health, label } = useWatched();
  const hidden = health?.hidden_panes ?? 0;
  const show = async () => {
    const here = router.here();
    if ((await settings.save("include_shells", true)).ok) here(() => router.go("#/all"));
  };
  return (
    <div class="watching flex start gap-12 fill round-3">
      <Icon name="eye" />
      <p class="grow numbers">
        {`Watching ${label}: ${plural(count, "pane", "panes")}`}
        {hidden > 0 && (
          <span class="fine">
            {`${plural(hidden, "idle shell", "idle shells")} hidden.`}{" "}
            {server.may("own") && (
              <Button tone="plain" size="small" onClick={() => void show()}>
                Show
              </Button>
            )}
          </span>
        )}
      </p>
    </div>
  );
}

/** The multiplexer; tmux until the server has named it. */
function useWatched() {
  const { config } = useServer();
  const provider = config.current.value?._info.capabilities?.terminal_provider_v1;
  const id = provider?.provider ?? "mux";
  return { id, label: config.labels.value[id] ?? "tmux", health: provider?.health ?? null };
}
