import type { ComponentChildren, JSX } from "preact";
import type { PushDevice } from "../../../src/protocol/push.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { dayOf } from "../../words/times.ts";
import { removeDevice, testOther } from "./device-acts.ts";
import { Group } from "./rows.tsx";

/** What else is alerted, and what each last got. */
export function OtherDevices(): JSX.Element {
  const client = useClient();
  const notifications = usePart(Notifications);
  const others = notifications.others.value;
  const isConfigured = ({ kind }: PushDevice) => kind === "ntfy" || kind === "webhook";
  const devices = others.filter((device) => !isConfigured(device));
  const configured = others.filter(isConfigured);
  return (
    <>
      {devices.length > 0 && (
        <Group title="Other devices" whose="everyone">
          {devices.map((device) => (
            <Row
              key={device.id}
              device={device}
              action="Remove"
              actionLabel={`Remove ${device.name}`}
              onAction={() => void removeDevice(client, device)}
            />
          ))}
        </Group>
      )}
      {configured.length > 0 && (
        <>
          <Group title="From the configuration file" whose="everyone">
            {configured.map((device) => (
              <Row
                key={device.id}
                device={device}
                action="Test"
                actionLabel="Test"
                onAction={() => void testOther(client, device)}
              />
            ))}
          </Group>
          <p class="page-text">
            They are set in the configuration file. Whoever knows an ntfy topic can read it, so its
            texts never name a pane.
          </p>
        </>
      )}
    </>
  );
}

function Row(props: {
  readonly device: PushDevice;
  readonly action: string;
  readonly actionLabel: string;
  readonly onAction: () => void;
}): JSX.Element {
  const { device, action, actionLabel, onAction } = props;
  return (
    <div class="item device-row">
      <Icon name={iconOf(device)} />
      <span class="grow">
        {device.name}
        <span class="item-hint">{hintOf(device)}</span>
        <Last device={device} />
      </span>
      <Button size="small" aria-label={actionLabel} onClick={onAction}>
        {action}
      </Button>
    </div>
  );
}

function iconOf({ kind, name }: PushDevice): "bell" | "phone" | "screen" {
  if (kind === "ntfy" || kind === "webhook") return "bell";
  return kind === "apns" || /Android|iOS|iPadOS/.test(name) ? "phone" : "screen";
}

function hintOf({ kind, host, added }: PushDevice): string {
  if (kind === "ntfy") return `${host}, works without HTTPS and without this page`;
  if (kind === "webhook") return `${host}, each alert as a signed line of JSON`;
  return kind === "apns" ? `Native app, since ${dayOf(added)}` : `since ${dayOf(added)}`;
}

function Last({ device: { gone, last } }: { readonly device: PushDevice }): JSX.Element {
  if (gone !== null)
    return <Result isGood={false}>Gone since {timeOfDay(gone)}, it will not be tried again</Result>;
  if (last === null) return <span class="item-hint">Nothing sent yet</span>;
  const time = timeOfDay(last.at);
  if (last.result === "accepted") return <Result isGood>Accepted {time}</Result>;
  return (
    <Result isGood={false}>
      Failed {time}: {last.detail}
    </Result>
  );
}

function Result(props: {
  readonly isGood: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { isGood, children } = props;
  return (
    <span class={`check-line ${isGood ? "done" : "failed"}`}>
      <StatusIcon shape={isGood ? "ok" : "error"} />
      {children}
    </span>
  );
}
