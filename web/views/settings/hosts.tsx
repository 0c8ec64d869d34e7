import type { HostsReply } from "../../../src/protocol/hosts.ts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isAway, remedyOf, type Host } from "../../model/hosts.ts";
import { type Api, promised, type Result } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Tag } from "../../ui/tag.tsx";
import { common } from "../../words/common.ts";
import { count, timeOfDay } from "../../words/common.ts";
import { REASONS, RetryHost, useNextTry } from "../hosts/away.tsx";
import { useAct } from "../parts/act.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { Fault, Group } from "./rows.tsx";

/** Figures of a link come with no frame of their own. */
const LOOK_MS = 5000;

/** The machines that are watched, how each stands, and the way to one more. */
export function HostsSettings(): JSX.Element {
  const server = useServer();
  const { config, hosts } = server;
  const { router } = useBrowser();
  useFigures();
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

/** The list anew, for as long as it is seen. */
function useFigures(): void {
  const server = useServer();
  const { presence } = useBrowser();
  const isThere = server.hosts.value.length > 0 && presence.attention.value === "visible";
  useEffect(() => {
    if (!isThere) return;
    const asking = new AbortController();
    const look = async () => {
      const result = await server.api.call("GET /api/hosts", {
        ...{ signal: asking.signal, read: promised<HostsReply> },
      });
      if (result.ok && !asking.signal.aborted) server.takeHosts(result.value.hosts);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      clearInterval(timer);
      asking.abort();
    };
  }, [isThere]);
}

function HostRow({ host }: { readonly host: Host }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const isLocal = host.kind === "local";
  const parts = <HostParts host={host} />;
  if (isLocal)
    return (
      <div class="host-line flex">
        <div class="item">{parts}</div>
      </div>
    );
  // Only a person can bring this one back: what to do is not hidden behind a tap.
  const isStuck = host.status === "away" && host.retry_at === null;
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
          {isAway(host) && <Remedy host={host} />}
          {isOpen && <HostActs host={host} />}
        </div>
      )}
    </div>
  );
}

function HostParts({ host }: { readonly host: Host }): JSX.Element {
  const next = useNextTry(host);
  return (
    <>
      <Icon name="machine" />
      <span class="grow">
        <b>{host.name}</b>
        {host.kind === "local" && <Tag>this server</Tag>}
        {host.status === "off" && <Tag>off</Tag>}
        <span class="item-hint">
          {[
            host.status === "off" ? "" : count(host.panes, "pane", "panes"),
            host.version === null ? "" : `tmux ${host.version}`,
            host.ssh === null ? "" : `ssh ${host.ssh}`,
          ]
            .filter((text) => text !== "")
            .join(" · ")}
        </span>
        <span class={`item-hint ${isAway(host) ? "stale" : ""}`}>{standing(host, next)}</span>
      </span>
    </>
  );
}

function standing(host: Host, next: string): string {
  if (isAway(host))
    return ["Away since", `${timeOfDay(host.since)}.`, REASONS[host.reason ?? "unknown"], next]
      .filter((text) => text !== "")
      .join(" ");
  if (host.status === "off") return "not watched";
  if (host.status === "connecting") return "Connecting";
  const { round_trip_ms: trip, since } = host;
  return [
    trip === null ? "" : `${Math.round(trip)} ms round trip`,
    since === 0 ? "" : `since ${timeOfDay(since)}`,
  ]
    .filter((text) => text !== "")
    .join(", ");
}

/** What ssh said, and the one command that tells more or mends it. */
function Remedy({ host }: { readonly host: Host }): JSX.Element {
  const { detail, ssh, retry_at: retryAt } = host;
  return (
    <>
      {detail !== null && <p class="item-hint mono">{detail}</p>}
      <p class="item-hint">
        {retryAt === null
          ? "panewatch never accepts a key by itself. On the server, run this, and answer what ssh asks:"
          : "It tells more than panewatch is told:"}
      </p>
      <CopyLines text={remedyOf(ssh ?? "")} label="Copy the command" />
    </>
  );
}

function HostActs({ host: { name, watch } }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const act = useAct();
  const [isAsking, setAsking] = useState(false);
  const isOff = act.isBusy || !server.can("own");
  const run = (ask: (api: Api) => Promise<Result<unknown>>) =>
    void act.run(async () => {
      const result = await ask(server.api);
      await server.link.refresh();
      return result;
    });
  return (
    <>
      <SwitchItem
        label="Watch it"
        isOn={watch}
        disabled={isOff}
        onChange={(on) =>
          run((api) => api.call("PATCH /api/hosts/:name", { path: { name }, json: { watch: on } }))
        }
      />
      {!isAsking && (
        <Button size="small" disabled={isOff} onClick={() => setAsking(true)}>
          Remove
        </Button>
      )}
      {isAsking && (
        <div role="group" aria-label="Remove">
          <p class="item-hint">Its panes go from every list. Names and stars are kept.</p>
          <div class="actions">
            <Button
              size="small"
              tone="danger"
              disabled={isOff}
              onClick={() => run((api) => api.call("DELETE /api/hosts/:name", { path: { name } }))}
            >
              Remove it
            </Button>
            <Button size="small" onClick={() => setAsking(false)}>
              {common.cancel}
            </Button>
          </div>
        </div>
      )}
      {act.fault !== "" && <Fault>{act.fault}</Fault>}
    </>
  );
}
