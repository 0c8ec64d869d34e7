import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { usePart, useServer } from "../../state/client.ts";
import { Stats } from "../../state/server/stats.ts";
import { Browsers } from "./browsers.tsx";
import { Fleet } from "./fleet.tsx";
import { History } from "./history.tsx";
import { Server } from "./server.tsx";
import { Today, Usage } from "./usage.tsx";

const LOOK_AGAIN_MS = 5000;
const USAGE_AGAIN_MS = 60_000;

/** The numbers: panes, quotas, browsers, server. Asked again while they are on the screen. */
export function StatsPanels(): JSX.Element {
  const { config, connection } = useServer();
  const stats = usePart(Stats);
  const { sid } = useServer();
  const isUp = connection.value.phase === "live" || connection.value.phase === "rest";
  const isOn = config.current.value?.usage_enabled === true;
  useEffect(() => {
    if (!isUp) return;
    const look = () => {
      if (document.hidden) return;
      void stats.sessions.load();
      void config.load();
    };
    look();
    const timer = setInterval(look, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isUp, sid.value]);
  useEffect(() => {
    if (!isUp || !isOn) return;
    const look = () => {
      if (!document.hidden) void stats.usage.load();
    };
    look();
    const timer = setInterval(look, USAGE_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isUp, isOn]);
  return (
    <div class="stats">
      <Fleet />
      {isOn && (
        <>
          <Usage />
          <Today />
          <History />
        </>
      )}
      <Browsers />
      <Server />
    </div>
  );
}
