import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { machines, parentsOn } from "../../model/creation.ts";
import { isAway } from "../../model/hosts.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Creation } from "../../state/server/creation.ts";
import { ChoiceItem } from "../../ui/item.tsx";
import { shownPaneId } from "../commands/command.ts";

/** Which machine it is created on, where there are several. */
export function Machine(): JSX.Element | null {
  const client = useClient();
  const { hosts, panes } = client.server;
  const creation = usePart(Creation);
  const { host } = creation.wanted.value;
  const all = machines(hosts.value);
  const chosen = all.find(({ kind, name }) => (kind === "local" ? null : name) === host);
  const isLive = chosen?.status === "live";
  useEffect(() => {
    // It was away when it was asked what can be created.
    if (isLive && creation.state.value.peek()?.enabled === false) void creation.open();
  }, [isLive]);
  if (all.length < 2) return null;
  const choose = (name: string) => {
    const isHere = all.some((one) => one.kind === "local" && one.name === name);
    const next = isHere ? null : name;
    void creation.begin(parentsOn(panes.all.peek(), next, shownPaneId(client)));
  };
  return (
    <div class="set create-machine">
      <ChoiceItem
        label="Machine"
        options={Object.fromEntries(
          all.map((one) => [one.name, isAway(one) ? `${one.name} · away` : one.name]),
        )}
        chosen={chosen?.name ?? ""}
        onChoose={choose}
      />
    </div>
  );
}
