import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Host, isAway } from "../../model/filter.ts";
import type { Result } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Tag } from "../../ui/heading.tsx";
import { REASONS, RetryHost, useNextTry } from "../hosts/hosts.tsx";
import { useToday } from "../parts/derived.ts";
import { CopyLines } from "../parts/lines.tsx";
import { Fault, useAct, usePolling } from "../parts/query-status.tsx";
import { ConfirmInPlace, Fix, Group } from "./rows.tsx";
import { count } from "../../words/common.ts";
import { momentText } from "../../words/times.ts";

/** Round trips are in no frame of the socket, so they are polled. */
const LOOK_MS = 5000;

export function HostsSettings(): JSX.Element {
  const server = useServer();
  const { config, hosts } = server;
  const { router } = useBrowser();
  usePolling(hosts.value.length > 0, LOOK_MS, async (signal) => {
    const result = await server.api.call("GET /api/hosts", { signal });
    if (result.ok && !signal.aborted) server.takeHosts(result.value.hosts);
  });
  const ability = config.current.value?._info.capabilities.hosts_v1;
  if (ability?.enabled !== true)
    return (
      <p class="page-text">{ability?.reason ?? "This server watches its own machine only."}</p>
    );
  return (
    <>
      {hosts.value.length === 0 ? (
        <p class="page-text">
          panewatch watches the machine it runs on. Add others to see their panes in the same lists.
        </p>
      ) : (
        <Group title="Watched" audience="everyone">
          {hosts.value.map((host) => (
            <HostRow key={host.name} host={host} />
          ))}
        </Group>
      )}
      <Button
        size="block"
        disabled={!server.can("own")}
        onClick={() => router.show("settings-add-host", null, "above")}
      >
        <Icon name="plus" class="small" />
        Add a machine
      </Button>
      <p class="page-text">
        Machines are reached with this server’s own ssh, its keys and its configuration. Nothing is
        installed there. One that is away keeps its last screens and holds up no other. Agent
        sessions and changes of files are read on this server only.
      </p>
    </>
  );
}

const joined = (parts: readonly (string | false | null)[], by: string) =>
  parts.filter(Boolean).join(by);

function HostRow({ host }: { readonly host: Host }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const next = useNextTry(host);
  const today = useToday();
  const { kind, name, status, version, ssh, detail, panes } = host;
  const parts = (
    <>
      <Icon name="machine" />
      <span class="grow">
        <b>{name}</b>
        {kind === "local" && <Tag>this server</Tag>}
        {status === "off" && <Tag>off</Tag>}
        <span class="item-hint">
          {joined(
            [
              status !== "off" && count(panes, "pane", "panes"),
              version && `tmux ${version}`,
              ssh && `ssh ${ssh}`,
            ],
            " · ",
          )}
        </span>
        <span class={`item-hint ${isAway(host) ? "stale" : ""}`}>
          {stateText(host, next, today)}
        </span>
      </span>
    </>
  );
  if (kind === "local") return <div class="item">{parts}</div>;
  // Only a person can bring it back: the remedy is not hidden behind a tap.
  const isStuck = status === "away" && host.retry_at === null;
  return (
    <div>
      <div class="host-line flex">
        <button type="button" class="item" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {parts}
          <Icon name={isOpen ? "up" : "down"} class="small" />
        </button>
        {isAway(host) && <RetryHost host={host} />}
      </div>
      {(isOpen || isStuck) && (
        <div class="host-more">
          {isAway(host) && detail !== null && <p class="item-hint mono">{detail}</p>}
          {isAway(host) && <ManualFix ssh={ssh ?? ""} needsPerson={host.retry_at === null} />}
          {isOpen && <HostActs host={host} />}
        </div>
      )}
    </div>
  );
}

function stateText(host: Host, next: string, today: number): string {
  const { status, since, reason, round_trip_ms: trip } = host;
  if (isAway(host))
    return `Away since ${momentText(since, today)}. ${joined([REASONS[reason ?? "unknown"], `Next try ${next}.`], " ")}`;
  if (status === "off") return "not watched";
  if (status === "connecting") return "Connecting";
  const figures = trip !== null && `${Math.round(trip)} ms round trip`;
  return joined([figures, since !== 0 && `since ${momentText(since, today)}`], ", ");
}

/** The ssh command that answers what ssh asks a person, or that shows more of the error. */
export function ManualFix(props: {
  readonly ssh: string;
  readonly needsPerson: boolean;
}): JSX.Element {
  return (
    <Fix title={props.needsPerson ? "Connect once by hand" : "Try it on the server"}>
      {props.needsPerson
        ? "panewatch never accepts a key by itself. On the server, run this, and answer what ssh asks:"
        : "It tells more than panewatch is told:"}
      <CopyLines text={`ssh ${props.ssh} true`} />
    </Fix>
  );
}

/** A machine that is switched off stays listed; a removed one does not. */
function HostActs({ host: { name, watch } }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const act = useAct();
  const path = { name };
  const run = async (request: Promise<Result<unknown>>) => {
    const result = await request;
    await server.link.refresh();
    return result;
  };
  const isOff = act.isBusy || !server.can("own");
  return (
    <>
      <SwitchItem
        label="Watch it"
        isOn={watch}
        disabled={isOff}
        onChange={(on) =>
          void act.run(() =>
            run(server.api.call("PATCH /api/hosts/:name", { path, json: { watch: on } })),
          )
        }
      />
      <Fault>{act.fault}</Fault>
      <ConfirmInPlace
        label="Remove"
        sure="Remove it"
        text="Its panes go from every list. Names and stars are kept."
        notDone="Not removed"
        isOff={isOff}
        onSure={() => run(server.api.call("DELETE /api/hosts/:name", { path }))}
      />
    </>
  );
}
