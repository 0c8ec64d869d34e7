import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isAway, remedyOf, type Host } from "../../model/hosts.ts";
import { reasonOf, type Result } from "../../net/api.ts";
import { HostsApi } from "../../net/hosts-api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Tag } from "../../ui/tag.tsx";
import { common } from "../../words/common.ts";
import { hosts as words } from "../../words/hosts.ts";
import { RetryHost, useNextTry } from "../hosts/away.tsx";
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
  if (ability?.enabled !== true) return <p class="page-text">{ability?.reason ?? words.cannot}</p>;
  return (
    <>
      {hosts.value.length === 0 ? (
        <p class="page-text">{words.alone}</p>
      ) : (
        <Group title={words.watched} whose="everyone">
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
        {words.add}
      </Button>
      <p class="page-text">{words.text}</p>
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
      const result = await new HostsApi(server.api).list(asking.signal);
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
      <div class="host-line">
        <div class="item">{parts}</div>
      </div>
    );
  // Only a person can bring this one back: what to do is not hidden behind a tap.
  const isStuck = host.status === "away" && host.retry_at === null;
  return (
    <div>
      <div class="host-line">
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
        {host.kind === "local" && <Tag>{words.thisServer}</Tag>}
        {host.status === "off" && <Tag>{words.off}</Tag>}
        <span class="item-hint">{words.about(host)}</span>
        <span class={`item-hint ${isAway(host) ? "stale" : ""}`}>{standing(host, next)}</span>
      </span>
    </>
  );
}

function standing(host: Host, next: string): string {
  if (isAway(host))
    return `${words.since(host.since, words.reasons[host.reason ?? "unknown"])} ${next}`;
  if (host.status === "off") return words.notWatched;
  if (host.status === "connecting") return words.connecting;
  return [words.roundTripOf(host.round_trip_ms), words.liveSince(host.since)]
    .filter((text) => text !== "")
    .join(", ");
}

/** What ssh said, and the one command that tells more or mends it. */
function Remedy({ host }: { readonly host: Host }): JSX.Element {
  const { detail, ssh, retry_at: retryAt } = host;
  return (
    <>
      {detail !== null && <p class="item-hint mono">{detail}</p>}
      <p class="item-hint">{retryAt === null ? words.byHandText : words.tryByHandText}</p>
      <CopyLines text={remedyOf(ssh ?? "")} label={words.copy} />
    </>
  );
}

function HostActs({ host: { name, watch } }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState("");
  const isOff = isBusy || !server.can("own");
  const run = async (act: (api: HostsApi) => Promise<Result<unknown>>) => {
    setBusy(true);
    const result = await act(new HostsApi(server.api));
    await server.link.refresh();
    setBusy(false);
    if (result.ok) return setFault("");
    const { failure } = result;
    setFault(failure.kind === "lost" ? words.lost : words.notDone(reasonOf(failure)));
  };
  return (
    <>
      <SwitchItem
        label={words.watch}
        isOn={watch}
        disabled={isOff}
        onChange={(on) => void run((api) => api.watch(name, on))}
      />
      {!isAsking && (
        <Button size="small" disabled={isOff} onClick={() => setAsking(true)}>
          {words.remove}
        </Button>
      )}
      {isAsking && (
        <div role="group" aria-label={words.remove}>
          <p class="item-hint">{words.removeText}</p>
          <div class="actions">
            <Button
              size="small"
              tone="danger"
              disabled={isOff}
              onClick={() => void run((api) => api.remove(name))}
            >
              {words.removeNow}
            </Button>
            <Button size="small" onClick={() => setAsking(false)}>
              {common.cancel}
            </Button>
          </div>
        </div>
      )}
      {fault !== "" && <Fault>{fault}</Fault>}
    </>
  );
}
