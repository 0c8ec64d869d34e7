import type { PushDevice, TestReply } from "../../../src/protocol/push.ts";
import type { Client } from "../../state/client.ts";
import { promised } from "../../net/api.ts";
import type { Server } from "../../state/server/server.ts";
import { Notifications, type TestRun } from "../../state/server/notifications.ts";

const SHOWN_WITHIN_MS = 30_000;
const NO_RUN: TestRun = { reply: null, failure: null, shownAt: null, isOver: false };

export async function removeDevice({ server }: Client, { id }: PushDevice): Promise<void> {
  const notifications = server.part(Notifications);
  if (notifications.took(await server.api.call("DELETE /api/push/devices/:id", { path: { id } })))
    await notifications.devices.reload();
}

const testOf = ({ api }: Server, id: string) =>
  api.call("POST /api/push/devices/:id/test", { path: { id }, read: promised<TestReply> });

export async function testOther({ server }: Client, { id }: PushDevice): Promise<void> {
  const notifications = server.part(Notifications);
  notifications.took(await testOf(server, id));
  await notifications.devices.reload();
}

/** Sends a test to this device and waits until its worker says that it was shown. */
export async function testOwn({ browser, server }: Client): Promise<void> {
  const notifications = server.part(Notifications);
  const own = notifications.own.peek();
  if (own === null) return;
  const { test } = notifications;
  const shown = new Set<string>();
  const change = (part: Partial<TestRun>) => {
    test.value = { ...(test.peek() ?? NO_RUN), ...part };
  };
  test.value = NO_RUN;
  const note = (tag: string) => {
    shown.add(tag);
    const isOurs = test.peek()?.reply?.tag === tag;
    if (isOurs) change({ shownAt: browser.clock.now.peek(), isOver: true });
  };
  const unlisten = notifications.manager.onShown(note);
  setTimeout(() => {
    unlisten();
    if (test.peek()?.isOver === false) change({ isOver: true });
  }, SHOWN_WITHIN_MS);
  const result = await testOf(server, own.id);
  if (!result.ok) change({ failure: result.failure, isOver: true });
  else change({ reply: result.value, isOver: !result.value.ok });
  if (result.ok && shown.has(result.value.tag)) note(result.value.tag);
  await notifications.devices.reload();
}
