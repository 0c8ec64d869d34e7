import type { JSX } from "preact";
import { recordHash, ActRecord } from "../../state/server/record.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Grants } from "../../state/server/grants.ts";
import { Icon } from "../../ui/icons.tsx";
import { RowParts } from "../../ui/row.tsx";
import { Section } from "../../ui/section.tsx";
import { mayOf } from "../../words/scopes.ts";
import { useToday } from "../parts/derived.ts";
import { InnerLink } from "../parts/inner-link.tsx";
import { deviceIcon } from "../settings/devices.tsx";
import { useDevices, useRecordFilter } from "./page.tsx";
import { whenText } from "../../words/times.ts";

/** Beside the record: whose acts it shows. */
export function RecordDevices(): JSX.Element {
  const filter = useRecordFilter();
  const server = useServer();
  const grants = usePart(Grants);
  const list = usePart(ActRecord).list(filter);
  const devices = useDevices(list.items.value ?? []);
  const all = server.may("own") ? (grants.all.value.value?.grants ?? []) : [];
  const today = useToday();
  const { sheet } = useBrowser().router;
  const isHere = sheet.value === null;
  const rows = [["", "Every device"] as const, ...devices];
  return (
    <Section title="By device">
      <ul class="rows">
        {rows.map(([id, name]) => {
          const grant = all.find((one) => one.id === id);
          const at = grant?.last_used_at ?? null;
          const used =
            grant !== undefined && grant.sockets > 0
              ? "now"
              : at === null
                ? ""
                : whenText(at, today);
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
                  titleEnd={<span class="row-time numbers">{used}</span>}
                  {...(grant === undefined ? {} : { second: mayOf(grant.scope) })}
                />
              </InnerLink>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
