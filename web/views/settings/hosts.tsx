import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isAway, remedyOf, type Host } from "../../model/hosts.ts";
import type { Result } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Tag } from "../../ui/tag.tsx";
import { count, timeOfDay } from "../../words/common.ts";
import { REASONS, RetryHost, useNextTry } from "../hosts/hosts.tsx";
import { Fault, useAct, usePolling } from "../parts/query-status.tsx";
import { CopyLines } from "../parts/copy-lines.tsx";
import { Fix, Group, ConfirmInPlace } from "./rows.tsx";

/** Figures of a link come with no frame of their own. */
const LOOK_MS = 5000;

/** The machines that are watched, how each stands, and the way to one more. */
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
        <Group title="Watched" whose="everyone">
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
        <span class={`item-hint ${isAway(host) ? "stale" : ""}`}>{standing(host, next)}</span>
      </span>
    </>
  );
  if (kind === "local") return <div class="item">{parts}</div>;
  // Only a person can bring this one back: what to do is not hidden behind a tap.
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
          {isAway(host) && <ByHand ssh={ssh ?? ""} isAsked={host.retry_at === null} />}
          {isOpen && <HostActs host={host} />}
        </div>
      )}
    </div>
  );
}

function standing(host: Host, next: string): string {
  const { status, since, reason, round_trip_ms: trip } = host;
  if (isAway(host))
    return joined(["Away since", `${timeOfDay(since)}.`, REASONS[reason ?? "unknown"], next], " ");
  if (status === "off") return "not watched";
  if (status === "connecting") return "Connecting";
  const figures = trip !== null && `${Math.round(trip)} ms round trip`;
  return joined([figures, since !== 0 && `since ${timeOfDay(since)}`], ", ");
}

/** The one command that tells more, or that mends what ssh asks a person about. */
export function ByHand(props: { readonly ssh: string; readonly isAsked: boolean }): JSX.Element {
  return (
    <Fix title={props.isAsked ? "Connect once by hand" : "Try it on the server"}>
      {props.isAsked
        ? "panewatch never accepts a key by itself. On the server, run this, and answer what ssh asks:"
        : "It tells more than panewatch is told:"}
      <CopyLines text={remedyOf(props.ssh)} label="Copy the command" />
    </Fix>
  );
}

/** Switched off it is kept and not asked; removed it is gone. */
function HostActs({ host: { name, watch } }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const act = useAct();
  const path = { name };
  const run = async (asked: Promise<Result<unknown>>) => {
    const result = await asked;
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
