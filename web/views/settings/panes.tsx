import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PaneOverride } from "../../../src/protocol/config.ts";
import { withOverride } from "../../model/overrides.ts";
import { useServer } from "../../state/client.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { settings as words } from "../../words/settings.ts";
import { TerminalText } from "../parts/text.tsx";
import { SavingNote } from "./rows.tsx";

const MAX_NAME = 80;

/** Names, kinds and stars that the server keeps for targets. */
export function PaneOverrides(): JSX.Element {
  const { settings } = useServer();
  const overrides = settings.shown("overrides") ?? [];
  return (
    <>
      <p class="page-text">{words.panesText}</p>
      <SavingNote saving={settings.saving("overrides").value} />
      {overrides.length === 0 && <p class="page-text">{words.panesNone}</p>}
      <ul class="set edit-list">
        {overrides.map((override) => (
          <OverrideRow key={override.target} override={override} />
        ))}
      </ul>
      <AddTarget taken={overrides.map(({ target }) => target)} />
    </>
  );
}

function OverrideRow({ override }: { readonly override: PaneOverride }): JSX.Element {
  const { settings } = useServer();
  const { target, star } = override;
  const change = (members: Partial<PaneOverride>) =>
    void settings.change("overrides", (all) =>
      all.map((one) => (one.target === target ? { ...one, ...members } : one)),
    );
  const [name, setName] = useState(override.name);
  useEffect(() => setName(override.name), [override.name]);
  const commit = () => {
    if (name !== override.name) change({ name });
  };
  return (
    <li class="override">
      <div class="override-head">
        <span class="grow truncate mono">
          <TerminalText text={target} dir="ltr" />
        </span>
        <IconButton
          icon="star"
          class={star ? "starred" : ""}
          label={words.paneStar(target)}
          aria-pressed={star}
          onClick={() => change({ star: !star })}
        />
        <IconButton
          icon="close"
          label={words.removePane(target)}
          onClick={() =>
            void settings.change("overrides", (all) => all.filter((one) => one.target !== target))
          }
        />
      </div>
      <div class="override-fields">
        <input
          type="text"
          dir="auto"
          maxLength={MAX_NAME}
          autocomplete="off"
          aria-label={words.paneName(target)}
          placeholder={words.paneNamePlaceholder}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === "Enter") commit();
          }}
        />
        <KindSelect
          label={words.paneKind(target)}
          kind={override.kind}
          onChoose={(kind) => change({ kind })}
        />
      </div>
    </li>
  );
}

/** What runs in a pane, when it shall not be found out. */
export function KindSelect(props: {
  readonly label: string;
  readonly kind: PaneOverride["kind"];
  readonly onChoose: (kind: PaneOverride["kind"]) => void;
}): JSX.Element {
  const { label, kind, onChoose } = props;
  const { config } = useServer();
  const labels = config.labels.value;
  return (
    <select
      aria-label={label}
      value={kind ?? ""}
      onChange={(event) => {
        const chosen = KINDS.find((one) => one === event.currentTarget.value);
        onChoose(chosen ?? null);
      }}
    >
      <option value="">{words.kindAuto}</option>
      {KINDS.map((one) => (
        <option key={one} value={one}>
          {labels[one] ?? one}
        </option>
      ))}
    </select>
  );
}

const KINDS = [
  "agent_a",
  "agent_b",
  "agent_c",
  "agent_d",
  "agent_e",
  "shell",
  "generic",
] as const satisfies readonly PaneOverride["kind"][];

/** An entry for a target, one that runs or one that will. It begins with a star, so that it holds something. */
function AddTarget({ taken }: { readonly taken: readonly string[] }): JSX.Element {
  const { panes, settings } = useServer();
  const [target, setTarget] = useState("");
  const known = panes.all.value.map((pane) => pane.target).filter((one) => !taken.includes(one));
  const add = () => {
    const wanted = target.trim();
    if (wanted === "" || taken.includes(wanted)) return;
    setTarget("");
    void settings.change("overrides", (all) => withOverride(all, wanted, { star: true }));
  };
  return (
    <div class="set">
      <div class="edit-row">
        <input
          class="mono"
          type="text"
          dir="ltr"
          list="known-targets"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-label={words.paneTarget}
          placeholder={words.paneTargetPlaceholder}
          value={target}
          onInput={(event) => setTarget(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") add();
          }}
        />
        <datalist id="known-targets">
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Button size="small" disabled={target.trim() === ""} onClick={add}>
          {words.add}
        </Button>
      </div>
    </div>
  );
}
