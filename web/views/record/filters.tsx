import type { JSX } from "preact";
import type { SeenAccessEvent, SeenAct } from "../../../src/protocol/tolerant-record.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Grants } from "../../state/server/grants.ts";
import {
  ActRecord,
  isAct,
  parseRecordFilter,
  recordHash,
  type RecordFilter,
} from "../../state/server/record.ts";
import { ChipSelect } from "../../ui/chips.tsx";
import { Icon } from "../../ui/icons.tsx";
import { RowParts } from "../../ui/row.tsx";
import { Section } from "../../ui/section.tsx";
import { mayOf } from "../../words/scopes.ts";
import { whenText } from "../../words/times.ts";
import { useWatch } from "../agents/use.ts";
import { useDerived } from "../parts/derived.ts";
import { useToday } from "../parts/today.ts";
import { InnerLink } from "../parts/links.tsx";
import { deviceIcon, isUsed } from "../settings/devices.tsx";
import { kindsFor } from "./words.ts";

export function useRecordFilter(): RecordFilter {
  const { route } = useBrowser().router;
  return parseRecordFilter(route.value.screen === "record" ? route.value.query : "");
}

/** What the list is narrowed to: a pane, a device, a kind. */
export function Filters(props: {
  readonly filter: RecordFilter;
  readonly entries: readonly (SeenAct | SeenAccessEvent)[];
}): JSX.Element {
  const { filter, entries } = props;
  const { layout, router } = useBrowser();
  const server = useServer();
  const panes = useDerived(() => server.panes.all.value.map(({ id, name }) => [id, name]), []);
  const devices = useDevices(entries);
  const gone = entries.filter(isAct).map(({ pane_id: id, target }) => [id, target || id]);
  const choice = (
    name: keyof RecordFilter,
    all: string,
    options: readonly (readonly string[])[],
  ) => {
    const chosen = filter[name];
    const known = options.map(([value = "", label = ""]) => [value, label] as const);
    // Of two by one name the later one holds.
    const labels = new Map([["", all], [chosen, chosen || all], ...known]);
    return (
      <ChipSelect
        label={all}
        options={[...labels]}
        chosen={chosen}
        onChoose={(value) => router.replace(recordHash({ ...filter, [name]: value }))}
      />
    );
  };
  return (
    <div class="record-filters flex gap-8" role="group" aria-label="Filter">
      {choice("pane", "Every pane", [...gone, ...panes])}
      {layout.columns.value === 1 && choice("by", "Every device", devices)}
      {choice("kind", "Every kind", kindsFor(server.may("own")))}
    </div>
  );
}

/** Who is in the list, and whoever else is let in. */
function useDevices(entries: readonly (SeenAct | SeenAccessEvent)[]): [id: string, name: string][] {
  const server = useServer();
  const grants = usePart(Grants);
  useWatch(server.may("own") ? grants.all : null);
  const names = new Map(entries.map(({ by }) => [by.grant, by.name]));
  for (const grant of grants.all.value.value?.grants ?? [])
    if (names.has(grant.id) || isUsed(grant)) names.set(grant.id, grant.name);
  return [...names];
}

/** Beside the record: whose acts it shows. */
export function RecordDevices(): JSX.Element {
  const filter = useRecordFilter();
  const list = usePart(ActRecord).list(filter);
  const devices = useDevices(list.items.value ?? []);
  const grants = usePart(Grants).all.value.value?.grants;
  const today = useToday();
  const isHere = useBrowser().router.sheet.value === null;
  return (
    <Section title="By device">
      <ul class="rows">
        {[["", "Every device"] as const, ...devices].map(([id, name]) => {
          const grant = grants?.find((one) => one.id === id);
          const at = grant?.last_used_at ?? null;
          return (
            <li key={id}>
              <InnerLink
                class={`row ${id === filter.by ? "selected" : ""}`}
                hash={recordHash({ ...filter, by: id })}
                isShown={isHere && id === filter.by}
              >
                <RowParts
                  lead={<Icon name={id === "" ? "clock" : deviceIcon(name)} />}
                  title={name}
                  titleEnd={
                    <span class="row-time numbers">
                      {grant?.sockets ? "now" : at !== null && whenText(at, today)}
                    </span>
                  }
                  second={grant && mayOf(grant.scope)}
                />
              </InnerLink>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
