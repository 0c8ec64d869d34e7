import type { JSX } from "preact";
import type { PushDevice } from "../../../src/protocol/push.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { notifications as words } from "../../words/notifications.ts";
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
        <Group title={words.others} whose="everyone">
          {devices.map((device) => (
            <Row
              key={device.id}
              device={device}
              action={words.remove}
              actionLabel={words.removeDevice(device.name)}
              onAction={() => void removeDevice(client, device)}
            />
          ))}
        </Group>
      )}
      {configured.length > 0 && (
        <>
          <Group title={words.configured} whose="everyone">
            {configured.map((device) => (
              <Row
                key={device.id}
                device={device}
                action={words.testTopic}
                actionLabel={words.testTopic}
                onAction={() => void testOther(client, device)}
              />
            ))}
          </Group>
          <p class="page-text">{words.configuredText}</p>
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
  if (kind === "ntfy") return words.ntfyHint(host);
  if (kind === "webhook") return words.webhookHint(host);
  return kind === "apns" ? words.native(dayOf(added)) : words.since(dayOf(added));
}

function Last({ device: { gone, last } }: { readonly device: PushDevice }): JSX.Element {
  if (gone !== null) return <Result isGood={false}>{words.gone(timeOfDay(gone))}</Result>;
  if (last === null) return <span class="item-hint">{words.nothingYet}</span>;
  const time = timeOfDay(last.at);
  if (last.result === "accepted") return <Result isGood>{words.accepted(time)}</Result>;
  return <Result isGood={false}>{words.deliveryFailed(time, last.detail)}</Result>;
}

function Result(props: { readonly isGood: boolean; readonly children: string }): JSX.Element {
  const { isGood, children } = props;
  return (
    <span class={`check-line ${isGood ? "done" : "failed"}`}>
      <StatusIcon shape={isGood ? "ok" : "error"} />
      {children}
    </span>
  );
}
