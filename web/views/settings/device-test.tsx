import type { ComponentChildren, JSX } from "preact";
import { reasonOf } from "../../net/api.ts";
import { Notifications, type TestRun } from "../../state/server/notifications.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { testOwn } from "./device-acts.ts";

/** A test: what the push service said within seconds, and whether this device has shown it. */
export function DeviceTest(): JSX.Element {
  const client = useClient();
  const notifications = usePart(Notifications);
  const run = notifications.test.value;
  const isRunning = run !== null && !run.isOver;
  return (
    <>
      <div role="status">{run !== null && <Progress run={run} />}</div>
      <div class="device-actions gap-8">
        <Button disabled={isRunning} onClick={() => void testOwn(client)}>
          <Icon name="bell" class="small" />
          {isRunning ? "Testing" : "Send a test"}
        </Button>
        <Button
          disabled={notifications.isBusy.value}
          onClick={() => void notifications.switchOff()}
        >
          Switch off
        </Button>
      </div>
    </>
  );
}

function Progress({ run }: { readonly run: TestRun }): JSX.Element | null {
  const { reply, failure, shownAt, isOver } = run;
  if (failure !== null)
    return (
      <Line shape="error">Not accepted: {reasonOf(failure) || "the server did not answer"}</Line>
    );
  if (reply === null) return null;
  if (!reply.ok) return <Line shape="error">{`Not accepted: ${reply.detail}`}</Line>;
  return (
    <>
      <Line shape="ok">Handed over {timeOfDay(reply.at)}</Line>
      {shownAt !== null && <Line shape="ok">{`Shown on this device ${timeOfDay(shownAt)}`}</Line>}
      {shownAt === null && !isOver && (
        <Line shape="working">Waiting until this device shows it</Line>
      )}
      {shownAt === null && isOver && (
        <>
          <Line shape="error">Not shown within 30 s</Line>
          <div class="fix rule text-2 fs-13">
            <h3>What to look at</h3>
            <ol>
              <li>Is a Focus or Do Not Disturb on?</li>
              <li>Settings of the system, notifications of this browser or app: are banners on?</li>
              <li>Is the device offline? It then comes later.</li>
            </ol>
          </div>
        </>
      )}
    </>
  );
}

function Line(props: {
  readonly shape: "ok" | "error" | "working";
  readonly children: ComponentChildren;
}): JSX.Element {
  const { shape, children } = props;
  const state = { ok: "done", error: "failed", working: "open" }[shape];
  return (
    <p class={`check-line ${state}`}>
      <StatusIcon shape={shape} />
      {children}
    </p>
  );
}
