import type { JSX } from "preact";
import { placeOf, type Pane } from "../../model/pane.ts";
import { sessionNames, splittableOn } from "../../model/creation.ts";
import { usePart, useServer } from "../../state/client.ts";
import { Creation } from "../../state/server/creation.ts";
import { ChoiceItem, Item } from "../../ui/item.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Segments } from "../../ui/segments.tsx";
import { create as words } from "../../words/create.ts";
import { useDerived } from "../parts/derived.ts";
import { Section } from "../../ui/section.tsx";

const SIZE = { min: 10, max: 90, step: 5 } as const;
const DRAWING_HEIGHT = 92;
const GAP_PERCENT = 1.2;

/** The session that a new window goes into. */
export function ParentSession(): JSX.Element {
  const { panes } = useServer();
  const creation = usePart(Creation);
  const { host, session } = creation.wanted.value;
  const names = useDerived(() => sessionNames(panes.all.value, host), [host]);
  if (names.length === 0)
    return <p class="page-text">There is no session yet. Create one first.</p>;
  return (
    <div class="set create-parent">
      <ChoiceItem
        label="In session"
        options={Object.fromEntries(names.map((name) => [name, name]))}
        chosen={session ?? ""}
        onChoose={(name) => creation.set({ session: name })}
      />
    </div>
  );
}

/** The pane that is split, how, and how large the new one becomes. */
export function ParentPane({ runtime }: { readonly runtime: string }): JSX.Element {
  const { panes } = useServer();
  const creation = usePart(Creation);
  const { host, paneId, split, sizePercent } = creation.wanted.value;
  const all = useDerived(() => splittableOn(panes.all.value, host).map(optionOf), [host]);
  const parent = all.find(({ id }) => id === paneId);
  if (all.length === 0) return <p class="page-text">There is no pane to split.</p>;
  return (
    <Section kind="sheet" title="Split">
      <div class="set">
        <ChoiceItem
          label="Pane to split"
          options={Object.fromEntries(all.map(({ id, text }) => [id, text]))}
          chosen={parent?.id ?? ""}
          onChoose={(id) => creation.set({ paneId: id })}
        />
        <div class="item">
          <Segments
            class="grow"
            label="Direction"
            options={[
              {
                value: "side_by_side",
                label: words.splits.side_by_side,
                icon: <Icon name="sideBySide" />,
              },
              { value: "stacked", label: words.splits.stacked, icon: <Icon name="stacked" /> },
            ]}
            chosen={split}
            onChoose={(value) => creation.set({ split: value })}
          />
        </div>
        <Item label="New pane gets">
          <input
            type="range"
            class="create-size tap"
            {...SIZE}
            aria-label="New pane gets"
            aria-valuetext={words.percent(sizePercent)}
            value={sizePercent}
            onInput={(event) => creation.set({ sizePercent: Number(event.currentTarget.value) })}
          />
          <b class="create-percent bold to-end numbers">{words.percent(sizePercent)}</b>
        </Item>
      </div>
      <Drawing
        isStacked={split === "stacked"}
        percent={sizePercent}
        parent={parent?.name ?? ""}
        fresh={`new ${runtime}`}
      />
    </Section>
  );
}

const optionOf = (pane: Pane) => ({
  id: pane.id,
  name: pane.name,
  text: [pane.name, ...placeOf(pane)].join(" · "),
});

/** The two panes as they will stand to each other. */
function Drawing(props: {
  readonly isStacked: boolean;
  readonly percent: number;
  readonly parent: string;
  readonly fresh: string;
}): JSX.Element {
  const { isStacked, percent, parent, fresh } = props;
  const first = 100 - percent;
  const part = (from: number, length: number) =>
    isStacked
      ? { x: "0", width: "100%", y: `${from}%`, height: `${length}%` }
      : { y: "0", height: "100%", x: `${from}%`, width: `${length}%` };
  const middle = (from: number, length: number) => {
    const at = `${from + length / 2}%`;
    return isStacked ? { x: "50%", y: at } : { x: at, y: "50%" };
  };
  return (
    <svg class="split-drawing full fs-12" height={DRAWING_HEIGHT} aria-hidden="true">
      <rect class="old" rx="8" {...part(0, first - GAP_PERCENT)} />
      <rect class="new" rx="8" {...part(first, percent)} />
      <text {...middle(0, first - GAP_PERCENT)}>{parent.slice(0, 24)}</text>
      <text class="new-text" {...middle(first, percent)}>
        {fresh}
      </text>
    </svg>
  );
}
