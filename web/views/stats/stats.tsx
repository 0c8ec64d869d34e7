import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useServer } from "../../state/client.ts";
import { Browsers } from "./browsers.tsx";
import { Fleet } from "./fleet.tsx";
import { History } from "./history.tsx";
import { Server } from "./server.tsx";
import { Today, Usage } from "./usage.tsx";

const LOOK_AGAIN_MS = 5000;
const USAGE_AGAIN_MS = 60_000;

/** The numbers: panes, quotas, browsers, server. Asked again while they are on the screen. */
export function StatsPanels(): JSX.Element {
  const { config, connection, query, sid } = useServer();
  const isUp = connection.value.phase === "live" || connection.value.phase === "rest";
  const isOn = config.current.value?.usage_enabled === true;
  useEffect(() => {
    if (!isUp) return;
    const look = () => {
      if (document.hidden) return;
      void query("GET /api/sessions").load();
      void config.load();
    };
    look();
    const timer = setInterval(look, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isUp, sid.value]);
  useEffect(() => {
    if (!isUp || !isOn) return;
    const look = () => {
      if (!document.hidden) void query("GET /api/usage").load();
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
