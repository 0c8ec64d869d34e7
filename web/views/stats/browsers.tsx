import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConnectedSession } from "../../../src/protocol/connections.ts";
import { browserName } from "../../model/browser-name.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common, waitText } from "../../words/common.ts";
import { TerminalText } from "../parts/text.tsx";
import { Panel } from "./panel.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Row } from "../../ui/row.tsx";

/** Who is connected; another browser can be disconnected after one question. */
export function Browsers(): JSX.Element {
  const { query, sid } = useServer();
  const asked = query("GET /api/sessions");
  const sessions = asked.value.value?.sessions ?? null;
  const own = sid.value;
  const sorted = sessions?.toSorted((a, b) => Number(b.id === own) - Number(a.id === own)) ?? [];
  return (
    <Panel
      title="Connected browsers"
      failure={asked.failure.value}
      onRetry={() => void asked.load()}
      end={<span class="numbers">{sessions?.length ?? "–"}</span>}
    >
      {sessions?.length === 0 && <p class="fs-13 text-2">None by a live connection.</p>}
      <ul>
        {sorted.map((session) => (
          <Browser key={session.id} session={session} isOwn={session.id === own} />
        ))}
      </ul>
    </Panel>
  );
}

function Browser(props: {
  readonly session: ConnectedSession;
  readonly isOwn: boolean;
}): JSX.Element {
  const { session, isOwn } = props;
  const { api, query } = useServer();
  const { messages } = useBrowser();
  const [isAsking, setAsking] = useState(false);
  const { browser, system, isPhone } = browserName(session.ua);
  const name = nameOf(browser, system);
  const disconnect = async () => {
    setAsking(false);
    const result = await api.call("POST /api/sessions/kill", { json: { id: session.id } });
    await query("GET /api/sessions").reload();
    const isGone =
      result.ok || (result.failure.kind === "refused" && result.failure.status === 404);
    if (!isGone) messages.alert("It could not be disconnected.");
  };
  const facts = [session.ip, waitText(session.age)];
  const ownTitle = isPhone ? "This phone" : "This browser";
  return (
    <li>
      <Row
        lead={<Icon name={isPhone ? "phone" : "screen"} />}
        title={<TerminalText text={isOwn ? ownTitle : name} />}
        titleEnd={isOwn && <Tag tone="accent">you</Tag>}
        second={
          <span class="numbers">
            <TerminalText text={(isOwn ? [name, ...facts] : facts).join(" · ")} />
          </span>
        }
        more={
          isAsking && (
            <span class="row-second fs-13 text-2">
              Its page stops until somebody taps Reconnect there.
            </span>
          )
        }
        end={
          <>
            {!isOwn && !isAsking && (
              <Button
                size="small"
                aria-label={`Disconnect ${name}`}
                onClick={() => setAsking(true)}
              >
                Disconnect
              </Button>
            )}
            {isAsking && (
              <div class="actions">
                <Button size="small" tone="danger" onClick={() => void disconnect()}>
                  Disconnect now
                </Button>
                <Button size="small" onClick={() => setAsking(false)}>
                  {common.cancel}
                </Button>
              </div>
            )}
          </>
        }
      />
    </li>
  );
}

function nameOf(browser: string | null, system: string | null): string {
  if (browser === null) return system ?? "Unknown client";
  return system === null ? browser : `${browser} on ${system}`;
}
