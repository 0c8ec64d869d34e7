import type { JSX } from "preact";
import { reasonOf } from "../../net/api.ts";
import { Notifications, type TestRun } from "../../state/server/notifications.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { timeOfDay } from "../../words/common.ts";
import { notifications as words } from "../../words/notifications.ts";
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
      <div class="device-actions">
        <Button disabled={isRunning} onClick={() => void testOwn(client)}>
          <Icon name="bell" class="small" />
          {isRunning ? words.testing : words.test}
        </Button>
        <Button
          disabled={notifications.isBusy.value}
          onClick={() => void notifications.switchOff()}
        >
          {words.switchOff}
        </Button>
      </div>
    </>
  );
}

function Progress({ run }: { readonly run: TestRun }): JSX.Element | null {
  const { reply, failure, shownAt, isOver } = run;
  if (failure !== null)
    return <Line shape="error">{words.notHandedOver(reasonOf(failure) || words.testLost)}</Line>;
  if (reply === null) return null;
  if (!reply.ok) return <Line shape="error">{words.notHandedOver(reply.detail)}</Line>;
  return (
    <>
      <Line shape="ok">{words.handedOver(timeOfDay(reply.at))}</Line>
      {shownAt !== null && <Line shape="ok">{words.shown(timeOfDay(shownAt))}</Line>}
      {shownAt === null && !isOver && <Line shape="working">{words.waitingForShown}</Line>}
      {shownAt === null && isOver && (
        <>
          <Line shape="error">{words.notShown}</Line>
          <div class="fix">
            <h3>{words.lookTitle}</h3>
            <ol>
              <li>{words.lookFocus}</li>
              <li>{words.lookBanners}</li>
              <li>{words.lookOffline}</li>
            </ol>
          </div>
        </>
      )}
    </>
  );
}

function Line(props: {
  readonly shape: "ok" | "error" | "working";
  readonly children: string;
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
