import { useEffect } from "preact/hooks";
import { useBrowser, usePart, useServer } from "../state/client.ts";
import { Notifications } from "../state/server/notifications.ts";

/** With each page, and each key of the server, the subscription of this browser is made good. Draws nothing. */
export function PushRenewal(): null {
  const { config } = useServer();
  const { messages } = useBrowser();
  const notifications = usePart(Notifications);
  // The configuration is read anew with every reconnect; the key alone says that it may be another.
  const key = config.current.value?._info.capabilities.web_push_v1?.public_key ?? "";
  useEffect(() => {
    void notifications.renew().then((fate) => {
      if (fate !== null) messages.say(FATES[fate]);
    });
  }, [key]);
  return null;
}

const FATES = {
  renewed: "Notifications were renewed.",
  removed: "Notifications on this device were switched off from another one.",
};
