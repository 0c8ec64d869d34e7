import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConnectedSession } from "../../../src/protocol/connections.ts";
import { browserName } from "../../model/browser-name.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Stats } from "../../state/server/stats.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { common } from "../../words/common.ts";
import { stats as words } from "../../words/stats.ts";
import { TerminalText } from "../parts/text.tsx";
import { Panel } from "./panel.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Row } from "../../ui/row.tsx";

/** Who is connected; another browser can be disconnected after one question. */
export function Browsers(): JSX.Element {
  const { sid } = useServer();
  const stats = usePart(Stats);
  const sessions = stats.sessions.value.value?.sessions ?? null;
  const own = sid.value;
  const sorted = sessions?.toSorted((a, b) => Number(b.id === own) - Number(a.id === own)) ?? [];
  return (
    <Panel
      title={words.browsers}
      failure={stats.sessions.failure.value}
      onRetry={() => void stats.sessions.load()}
      end={<span class="numbers">{sessions?.length ?? words.unknown}</span>}
    >
      {sessions?.length === 0 && <p class="panel-text">{words.noSocket}</p>}
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
  const stats = usePart(Stats);
  const { messages } = useBrowser();
  const [isAsking, setAsking] = useState(false);
  const { browser, system, isPhone } = browserName(session.ua);
  const name = words.browserName(browser, system);
  const disconnect = async () => {
    setAsking(false);
    if ((await stats.disconnect(session.id)) !== null) messages.alert(words.disconnectFailed);
  };
  const facts = [session.ip, words.connectedFor(session.age)];
  const ownTitle = isPhone ? words.thisPhone : words.thisBrowser;
  return (
    <li>
      <Row
        lead={<Icon name={isPhone ? "phone" : "screen"} />}
        title={<TerminalText text={isOwn ? ownTitle : name} />}
        titleEnd={isOwn && <Tag tone="accent">{words.you}</Tag>}
        second={
          <span class="numbers">
            <TerminalText text={(isOwn ? [name, ...facts] : facts).join(" · ")} />
          </span>
        }
        more={isAsking && <span class="row-second">{words.disconnectAsk}</span>}
        end={
          <>
            {!isOwn && !isAsking && (
              <Button
                size="small"
                aria-label={words.disconnectName(name)}
                onClick={() => setAsking(true)}
              >
                {words.disconnect}
              </Button>
            )}
            {isAsking && (
              <div class="actions">
                <Button size="small" tone="danger" onClick={() => void disconnect()}>
                  {words.disconnectNow}
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
