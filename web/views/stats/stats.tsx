import type { JSX } from "preact";
import type { ConnectedSession } from "../../../src/protocol/access.ts";
import { browserName } from "../../model/browser-name.ts";
import { countByAppearance, groupPanes } from "../../model/filter.ts";
import type { Appearance } from "../../model/pane.ts";
import { ignoreGone } from "../../net/api.ts";
import { allowsAnswers } from "../../net/connection.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Queries } from "../../state/server/queries.ts";
import { Icon, StatusIcon } from "../../ui/button.tsx";
import { Tag } from "../../ui/heading.tsx";
import { Row, Section } from "../../ui/list.tsx";
import { common, count, waitText } from "../../words/common.ts";
import { QueryStatus, usePolling } from "../parts/query-status.tsx";
import { useDerived } from "../parts/derived.ts";
import { FactList } from "../parts/facts.tsx";
import { TerminalText } from "../parts/text.tsx";
import { ConfirmInPlace } from "../settings/rows.tsx";
import { History, Today } from "./history.tsx";
import { Usage } from "./usage.tsx";

const LOOK_AGAIN_MS = 5000;
const USAGE_AGAIN_MS = 60_000;

/** Polled while they are on the screen. */
export function StatsPanels(): JSX.Element {
  const { config, connection, sid } = useServer();
  const { query } = usePart(Queries);
  const isUp = allowsAnswers(connection.value.phase);
  const isOn = config.current.value?.usage_enabled === true;
  const look = () => Promise.all([query("GET /api/sessions").load(), config.load()]);
  usePolling(isUp, LOOK_AGAIN_MS, look, sid.value);
  usePolling(isUp && isOn, USAGE_AGAIN_MS, () => query("GET /api/usage").load());
  return (
    <div class="stats">
      <FleetPanel />
      {isOn && (
        <>
          <Usage />
          <Today />
          <History />
        </>
      )}
      <BrowsersPanel />
      <ServerPanel />
    </div>
  );
}

const ALWAYS: readonly Appearance[] = ["needs_input", "error", "working", "idle", "offline"];
const ORDER: readonly Appearance[] = [...ALWAYS, "finished", "parked", "stale", "unknown"];

function FleetPanel(): JSX.Element {
  const { panes } = useServer();
  const isKnown = panes.isLoaded.value;
  const { size, sessions, counted } = useDerived(() => {
    const all = panes.all.value;
    const named = groupPanes(all).filter(({ label }) => label !== "");
    return { size: all.length, sessions: named.length, counted: [...countByAppearance(all)] };
  }, []);
  const counts = new Map(counted);
  const shown = ORDER.filter((name) => ALWAYS.includes(name) || counts.has(name));
  return (
    <Section
      kind="panel"
      title="Fleet"
      end={
        isKnown && (
          <span class="numbers">
            {count(size, "pane", "panes")}, {count(sessions, "session", "sessions")}
          </span>
        )
      }
    >
      <dl class="fleet flex wrap between gap-8">
        {shown.map((name) => (
          <div key={name}>
            <dt class="fs-12 text-2">{common.status[name]}</dt>
            <dd class="flex gap-6 numbers">
              <StatusIcon shape={name} />
              {isKnown ? (counts.get(name) ?? 0) : "–"}
            </dd>
          </div>
        ))}
      </dl>
      <div class="strip flex mt-12" aria-hidden="true">
        {shown.map((name) => {
          const part = counts.get(name);
          const tone = name === "finished" ? "ok" : name;
          return part !== undefined && <i key={name} class={tone} style={{ "--part": part }} />;
        })}
      </div>
    </Section>
  );
}

function BrowsersPanel(): JSX.Element {
  const { sid } = useServer();
  const { query } = usePart(Queries);
  const sessionsQuery = query("GET /api/sessions");
  const sessions = sessionsQuery.value.value?.sessions ?? null;
  const own = sid.value;
  const sorted = sessions?.toSorted((a, b) => Number(b.id === own) - Number(a.id === own)) ?? [];
  return (
    <Section
      kind="panel"
      title="Connected browsers"
      end={<span class="numbers">{sessions?.length ?? "–"}</span>}
    >
      <QueryStatus query={sessionsQuery} isQuiet />
      {sessions?.length === 0 && <p class="fs-13 text-2">None by a live connection.</p>}
      <ul class="ruled">
        {sorted.map((session) => (
          <BrowserRow key={session.id} session={session} isOwn={session.id === own} />
        ))}
      </ul>
    </Section>
  );
}

function BrowserRow(props: {
  readonly session: ConnectedSession;
  readonly isOwn: boolean;
}): JSX.Element {
  const { id, ip, age, ua } = props.session;
  const { isOwn } = props;
  const { api } = useServer();
  const { query } = usePart(Queries);
  const { browser, system, isPhone } = browserName(ua);
  const name = [browser, system].filter((part) => part !== null).join(" on ") || "Unknown client";
  const disconnect = async () => {
    const result = await api.call("POST /api/sessions/kill", { json: { id } });
    await query("GET /api/sessions").reload();
    return ignoreGone(result);
  };
  const ownTitle = isPhone ? "This phone" : "This browser";
  const facts = [ip, waitText(age)];
  return (
    <li>
      <Row
        lead={<Icon name={isPhone ? "phone" : "screen"} />}
        title={<TerminalText text={isOwn ? ownTitle : name} />}
        titleEnd={isOwn && <Tag tone="accent">you</Tag>}
        second={
          <TerminalText class="numbers" text={(isOwn ? [name, ...facts] : facts).join(" · ")} />
        }
        end={
          !isOwn && (
            <ConfirmInPlace
              label="Disconnect"
              name={`Disconnect ${name}`}
              sure="Disconnect now"
              text="Its page stops until somebody taps Reconnect there."
              notDone="Not disconnected"
              onSure={disconnect}
            />
          )
        }
      />
    </li>
  );
}

const HEALTH = {
  ready: { tone: "ok", shape: "ok" },
  degraded: { tone: "needs", shape: "needs_input" },
  unavailable: { tone: "error", shape: "error" },
} as const;
const isKnownHealth = (status: string): status is keyof typeof HEALTH => status in HEALTH;

function ServerPanel(): JSX.Element {
  const { config, panes } = useServer();
  const { query } = usePart(Queries);
  const { clock } = useBrowser();
  const server = config.current.value;
  const info = server?._info;
  const provider = info?.capabilities?.terminal_provider_v1;
  const health = provider?.health;
  const status = health?.status;
  // Subscribes to the clock: the age of the snapshot is no signal.
  void clock.now.value;
  const age = panes.isLoaded.value ? panes.ageMs() / 1000 : null;
  const trip = query("GET /api/sessions").tookMs.value;
  const label = provider && (info?.labels?.[provider.provider] ?? provider.provider);
  const push = info?.push;
  const devices = push?.configured ? count(push.devices, "device", "devices") : "not configured";
  const rows: readonly (readonly [string, unknown])[] = [
    ["Provider", [label, health?.version].filter(Boolean).join(" ")],
    ["Version", info && (info.version || "unknown")],
    ["Last snapshot", age !== null && `${age.toFixed(1)} s ago`],
    ["Poll interval", server && `${server.poll_interval} s`],
    ["Round trip", trip !== null && `${Math.round(trip)} ms`],
    ["Push", push && devices],
    ...(typeof health?.last_error === "string" ? [["Last error", health.last_error] as const] : []),
  ];
  return (
    <Section
      kind="panel"
      title="Server"
      end={
        status !== undefined && (
          <Tag tone={isKnownHealth(status) ? HEALTH[status].tone : undefined}>
            {isKnownHealth(status) && <StatusIcon shape={HEALTH[status].shape} />}
            {status}
          </Tag>
        )
      }
    >
      <FactList facts={rows.map(([name, value]) => [name, value ? String(value) : "–"])} />
    </Section>
  );
}
