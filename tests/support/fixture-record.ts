import { type StoredAccess, markOf } from "../../src/config/stored-access.ts";
import { sha256 } from "../../src/lib/digest.ts";
import type { Act } from "../../src/protocol/act.ts";
import type { AccessEvent } from "../../src/protocol/acts.ts";
import type { FixtureServer } from "./fixture-server.ts";

const DAY = 86_400;
const TOKEN = "the-token-of-the-fixtures";

type Device = StoredAccess["grants"][number];

/** Five devices: the phone in hand, and one that has let in another. Each signs in with its own id. */
function devices(now: number): Device[] {
  const device = (members: Pick<Device, "id" | "name" | "scope"> & Partial<Device>): Device => ({
    ...{ by: "token", created_at: now - 40 * DAY, last_used_at: now, last_address: "127.0.0.1" },
    ...{ expires_at: now + 180 * DAY, under: markOf(TOKEN) },
    digest: sha256(members.id).toString("hex"),
    ...members,
  });
  return [
    device({ id: "firefox", name: "Firefox on Linux", scope: "own", last_used_at: now - 600 }),
    device({ id: "pixel", name: "Pixel 9", scope: "own", by: "local" }),
    device({
      ...{ id: "tab", name: "Galaxy Tab", scope: "type", by: "firefox" },
      ...{ last_used_at: now - DAY, last_address: "192.168.1.31" },
    }),
    device({
      ...{ id: "ipad", name: "iPad", scope: "answer", by: "tab" },
      ...{ last_used_at: now - 300, last_address: "192.168.1.32" },
    }),
    device({
      ...{ id: "wall", name: "Wall display", scope: "look", by: "firefox" },
      ...{ created_at: now - 3600, last_address: "192.168.1.40" },
    }),
  ];
}

/** What they did, the newest first. */
function record(now: number): (Act | AccessEvent)[] {
  const by = (grant: string) => ({
    grant,
    name: devices(now).find(({ id }) => id === grant)?.name ?? "panewatch",
  });
  const act = (ago: number, who: string, pane: string, more: Partial<Act>): Act => ({
    ...{ key: `key-${pane}-${ago}`, pane_id: pane, target: "api:1.0", kind: "select" },
    ...{ label: "Yes", about: null, by: by(who), at: now - ago, state: "confirmed", reason: null },
    ...more,
  });
  const event = (ago: number, more: Partial<AccessEvent>): AccessEvent => ({
    ...{ kind: "grant_made", what: "", by: by("firefox"), at: now - ago, count: 1 },
    ...more,
  });
  const command = (text: string) => ({ about: { kind: "command" as const, text } });
  return [
    act(60, "pixel", "%21", command("pnpm prisma migrate deploy")),
    act(240, "pixel", "%12", { kind: "text", label: "text of 42 characters" }),
    act(360, "ipad", "%99", {
      ...command("npm run sync"),
      ...{ target: "stock:0.0", state: "refused", reason: "prompt_changed" },
    }),
    event(600, { what: "Wall display (look)" }),
    act(900, "pixel", "%14", command("npm test -- --run refund")),
    act(1260, "firefox", "%15", { kind: "stop", label: "Escape" }),
    ...["%12", "%14", "%15"].map((pane) =>
      act(1620, "firefox", pane, {
        kind: "broadcast",
        label: "text of 9 characters",
        state: "sent",
      }),
    ),
    event(2460, { kind: "sign_refused", what: "192.168.1.77", count: 4 }),
    event(2760, { kind: "settings_changed", what: "poll_interval, naming_mode" }),
    act(DAY, "ipad", "%15", {
      label: "Cursor",
      about: { kind: "question", text: "Which pagination should the list endpoints use?" },
    }),
    act(DAY + 11_000, "pixel", "%21", {
      ...{ kind: "text", label: "text of 118 characters", state: "unknown" },
      reason: "delivery_unknown",
    }),
  ];
}

/** A server that knows who is let in and what they did; this page is one of them, or has to sign in. */
export function withRecord(server: FixtureServer, self: string | null = "pixel"): void {
  const now = server.now ?? Date.now() / 1000;
  const { capabilities } = server.config._info;
  capabilities.grants_v1 = { version: 1 };
  capabilities.act_ledger_v1 = { version: 1, incarnation: "fixture" };
  server.record.push(...record(now));
  server.letIn(TOKEN, devices(now), self);
}
