import type { JSX } from "preact";
import { sinceOf } from "../../../src/protocol/waiting.ts";
import { appearanceOf, type Appearance, type Pane } from "../../model/pane.ts";
import { lastLine } from "../../model/work.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, Icon, StatusIcon } from "../../ui/button.tsx";
import { useDerived, useWaitingCount } from "../parts/derived.ts";
import { InnerLink } from "../parts/links.tsx";
import { LostMessages } from "../waiting/dock.tsx";
import { PaneRow, RowGroup, type RowLines } from "../parts/row.tsx";
import { Empty } from "../../ui/notice.tsx";

/** What needs a person stands in the queue, not here. */
export function ActiveList(): JSX.Element {
  const { panes, queue } = useServer();
  const { router } = useBrowser();
  const lists = useDerived(() => {
    const needed = new Set(queue.asking.value);
    const others = panes.all.value.filter(({ id }) => !needed.has(id));
    const of = (appearance: Appearance) =>
      others.filter((pane) => appearanceOf(pane) === appearance);
    return {
      working: of("working")
        .toSorted((a, b) => sinceOf(a) - sinceOf(b))
        .map(idOf),
      parked: of("parked").map(idOf),
      idle: [...of("finished"), ...of("idle")]
        .filter(({ agent }) => agent !== null)
        .toSorted((a, b) => sinceOf(b) - sinceOf(a))
        .map(idOf),
    };
  }, []);
  const waiting = useWaitingCount();
  const { working, parked, idle } = lists;
  const isQuiet = waiting + working.length + parked.length + idle.length === 0;
  if (isQuiet && panes.isLoaded.value)
    return (
      <>
        <LostMessages />
        <Empty title="All quiet" text="No agent is working or waiting.">
          <Button onClick={() => router.go("#/all")}>Show all panes</Button>
        </Empty>
      </>
    );
  return (
    <>
      <LostMessages />
      {waiting > 0 && (
        <InnerLink class="row gutter" hash="#/queue">
          <StatusIcon shape="needs_input" />
          <span class="grow numbers">
            {waiting === 1 ? "1 waits in the queue" : `${waiting} wait in the queue`}
          </span>
          <Icon name="next" class="small" />
        </InnerLink>
      )}
      <RowGroup title="Working" of={working}>
        {rowOf}
      </RowGroup>
      <RowGroup title="Parked" of={parked}>
        {(id) => <PaneRow key={id} id={id} linesOf={parkedIn} />}
      </RowGroup>
      <RowGroup title="Idle" of={idle}>
        {rowOf}
      </RowGroup>
      <WorkspaceNote />
    </>
  );
}

const idOf = ({ id }: { readonly id: string }): string => id;
const parkedIn = ({ parked }: Pane): RowLines => ({ second: parked?.reason ?? "" });
const lastIn = (pane: Pane): RowLines => ({ mono: lastLine(pane) });
const rowOf = (id: string): JSX.Element => <PaneRow key={id} id={id} linesOf={lastIn} />;

const NOTE = "See what changed since you last looked";
/** With fewer agents the list alone is enough. */
const INTRODUCED_FROM = 3;
/** Kinds of agents whose logs can be read. */
const READABLE: ReadonlySet<string> = new Set(["agent_a", "agent_b"]);

/** "Not now" is for good. */
function WorkspaceNote(): JSX.Element | null {
  const { panes, workspace } = useServer();
  const { preferences, router } = useBrowser();
  const count = useDerived(
    () => panes.all.value.filter(({ kind }) => READABLE.has(kind)).length,
    [],
  );
  const isWanted = preferences.current.value.introduces && workspace.facts.value.step === "off";
  if (!isWanted || count < INTRODUCED_FROM) return null;
  return (
    <section class="workspace-note fs-13 prose text-2 fill round-3" aria-label={NOTE}>
      <b class="text-1">{NOTE}</b>
      <p>The agent workspace reads the logs of Claude Code and Codex on the server. It is off.</p>
      <div class="actions">
        <Button aria-haspopup="dialog" onClick={() => router.show("settings-workspace")}>
          What it reads
        </Button>
        <Button tone="plain" onClick={() => preferences.set({ introduces: false })}>
          Not now
        </Button>
      </div>
    </section>
  );
}
