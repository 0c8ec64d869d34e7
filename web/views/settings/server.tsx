import type { JSX } from "preact";
import type { PaneOverride } from "../../../src/protocol/config.ts";
import { VERSION } from "../../../src/protocol/version.ts";
import { usePart, useServer } from "../../state/client.ts";
import { Settings } from "../../state/server/settings.ts";
import { IconButton } from "../../ui/button.tsx";
import { ChoiceItem, Item, SwitchItem } from "../../ui/item.tsx";
import { Section } from "../../ui/list.tsx";
import { TerminalText } from "../parts/text.tsx";
import { CommitInput, rowOf, SavingNote, SettingRows } from "./fields.tsx";
import { Group, PageLink } from "./rows.tsx";

const MAX_NAME = 80;

/** The fields that the server names, in its groups. */
export function ServerSettings(): JSX.Element | null {
  const { config, hosts } = useServer();
  const settings = usePart(Settings);
  const server = config.current.value;
  if (server === null) return null;
  // The agent workspace has a page of its own, which says first what it reads.
  const fields = (server.fields ?? []).filter(({ group }) => group !== "Agents");
  const groups = Map.groupBy(fields, ({ group }) => group);
  const versions = [VERSION, config.serverVersion.value].filter((one) => one !== "");
  return (
    <>
      {server._info.capabilities.hosts_v1?.enabled === true && (
        <div class="set">
          <PageLink to="settings-hosts" value={String(hosts.value.length || 1)} />
        </div>
      )}
      {[...groups].map(([group, its]) => (
        <Group key={group} title={group} audience="everyone">
          <SettingRows of={settings} rows={its.map(rowOf)} />
          {its.some(({ kind }) => kind === "overrides") && (
            <PageLink to="settings-panes" value={String(settings.shown("overrides")?.length)} />
          )}
        </Group>
      ))}
      <p class="mt-12 fs-12 text-3 centred">panewatch {[...new Set(versions)].join(", server ")}</p>
    </>
  );
}

/** Names, kinds and stars by target. */
export function PaneOverrides(): JSX.Element {
  const settings = usePart(Settings);
  const overrides = settings.shown("overrides") ?? [];
  return (
    <>
      <p class="page-text">For panes by their target, also while they are not running.</p>
      <SavingNote of={settings} name="overrides" />
      {overrides.length === 0 && (
        <p class="page-text">Nothing is set. A star or a name makes an entry.</p>
      )}
      {overrides.map((override) => (
        <Override key={override.target} override={override} />
      ))}
    </>
  );
}

const KINDS = [
  ...(["agent_a", "agent_b", "agent_c", "agent_d", "agent_e", "shell", "generic"] as const),
] satisfies readonly PaneOverride["kind"][];

function Override({ override }: { readonly override: PaneOverride }): JSX.Element {
  const { config } = useServer();
  const settings = usePart(Settings);
  const { target, star, name, kind } = override;
  const labels = config.labels.value;
  const kinds = KINDS.map((one) => [one, labels[one] ?? one] as const);
  const change = (members: Partial<PaneOverride>) =>
    void settings.change("overrides", (all) =>
      all.map((one) => (one.target === target ? { ...one, ...members } : one)),
    );
  const remove = () =>
    void settings.change("overrides", (all) => all.filter((one) => one.target !== target));
  return (
    <Section
      kind="sheet"
      title={<TerminalText text={target} dir="ltr" />}
      end={<IconButton icon="close" label={`Remove the entry of ${target}`} onClick={remove} />}
    >
      <div class="set">
        <Item label="Name">
          <CommitInput
            class="item-text text-2 fs-16"
            label={`Name of ${target}`}
            placeholder="Its own"
            maxLength={MAX_NAME}
            value={name}
            onCommit={(next) => change({ name: next })}
          />
        </Item>
        <ChoiceItem
          label="Kind"
          options={Object.fromEntries([["", "Found out"], ...kinds])}
          chosen={String(kind ?? "")}
          onChoose={(chosen) => change({ kind: KINDS.find((one) => one === chosen) ?? null })}
        />
        <SwitchItem label="Star" isOn={star} onChange={(on) => change({ star: on })} />
      </div>
    </Section>
  );
}
