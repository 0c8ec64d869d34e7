import type { JSX } from "preact";
import { appearanceOf, lastLine, type Pane } from "../../model/pane.ts";
import { useServer } from "../../state/client.ts";
import { queue as words } from "../../words/queue.ts";
import { useDerived } from "../parts/derived.ts";
import { Mark } from "../parts/mark.tsx";
import { Row, type RowLines } from "../parts/row.tsx";

/** The best state of the queue, and what works meanwhile. */
export function NothingWaits({ isBrief = false }: { readonly isBrief?: boolean }): JSX.Element {
  const { config, panes } = useServer();
  const count = useDerived(() => panes.all.value.length, []);
  const working = useDerived(() => {
    const all = panes.all.value.filter((pane) => appearanceOf(pane) === "working");
    return all.map((pane) => pane.id);
  }, []);
  const provider = useProvider();
  if (count === 0) return <NoPanes isBrief={isBrief} />;
  const hidesShells = config.current.value?.include_shells === false;
  return (
    <>
      <div class={`empty ${isBrief ? "brief" : ""}`}>
        {!isBrief && <Mark lit={false} />}
        <h2>{words.emptyTitle}</h2>
        <p>{working.length === 0 ? words.emptyQuiet : words.emptyWorking(working.length)}</p>
        <p class="watching numbers">
          {words.watching(provider.label, count)}
          {hidesShells && `. ${words.shellsHidden}`}
        </p>
      </div>
      {!isBrief && working.length > 0 && (
        <>
          <h2 class="section">
            {words.background}
            <span class="section-count numbers">{working.length}</span>
          </h2>
          <ul class="list">
            {working.map((id) => (
              <Row key={id} id={id} linesOf={saidIn} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const saidIn = (pane: Pane): RowLines => ({ mono: lastLine(pane) });

/** Whoever sees nothing yet is told how something comes: agents elsewhere are not seen. */
function NoPanes({ isBrief }: { readonly isBrief: boolean }): JSX.Element {
  const { id, label } = useProvider();
  return (
    <div class={`empty ${isBrief ? "brief" : ""}`}>
      {!isBrief && <Mark lit={false} />}
      <h2>{words.noPanesTitle}</h2>
      <p>{words.noPanesText(label)}</p>
      {id === "mux" && (
        <ol class="first-steps">
          {words.noPanesSteps.map(([step, command]) => (
            <li key={command}>
              {step} <code dir="ltr">{command}</code>
            </li>
          ))}
        </ol>
      )}
      <p>{words.noPanesEnd(label)}</p>
    </div>
  );
}

/** What is watched; tmux until the server has said so. */
function useProvider(): { readonly id: string; readonly label: string } {
  const { config } = useServer();
  const id = config.current.value?._info.capabilities?.terminal_provider_v1?.provider ?? "mux";
  return { id, label: config.labels.value[id] ?? "tmux" };
}
