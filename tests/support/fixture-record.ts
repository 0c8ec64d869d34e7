import { GrantRemoved, GrantsReply, GrantState } from "../../src/protocol/grants.ts";
import { type AccessEvent, RecordReply } from "../../src/protocol/acts.ts";
import type { Act } from "../../src/protocol/act.ts";
import { ConfigReply } from "../../src/protocol/config.ts";
import { NOW } from "./fixture-panes.ts";
import type { FixtureServer } from "./fixture-server.ts";

const DAY = 86_400;

const device = (grant: Partial<GrantState>): GrantState =>
  GrantState.parse({
    ...{ by: "token", created_at: NOW - 40 * DAY, last_used_at: NOW, last_address: "127.0.0.1" },
    ...{ sockets: 0, push: 0, expires_at: NOW + 180 * DAY },
    ...grant,
  });

/** Five devices: this one, and one that has let in another. */
export const grants = (): GrantState[] => [
  device({ id: "firefox", name: "Firefox on Linux", scope: "own", last_used_at: NOW - 600 }),
  device({
    ...{ id: "pixel", name: "Pixel 9", scope: "own", sockets: 1, by: "local" },
    last_address: "100.90.12.4",
  }),
  device({
    ...{ id: "tab", name: "Galaxy Tab", scope: "type", by: "firefox" },
    ...{ last_used_at: NOW - DAY, last_address: "192.168.1.31" },
  }),
  device({
    ...{ id: "ipad", name: "iPad", scope: "answer", by: "tab" },
    ...{ last_used_at: NOW - 300, last_address: "192.168.1.32" },
  }),
  device({
    ...{ id: "wall", name: "Wall display", scope: "look", by: "firefox", sockets: 1 },
    ...{ created_at: NOW - 3600, last_address: "192.168.1.40" },
  }),
  device({ id: "token", name: "the token", scope: "own", by: null, expires_at: null }),
  device({
    ...{ id: "local", name: "this machine", scope: "own", by: null, expires_at: null },
    last_used_at: null,
  }),
];

type Kept<T> = T & { seq: number };

function record(): { acts: Kept<Act>[]; events: Kept<AccessEvent>[] } {
  let seq = 100;
  const by = (grant: string) => ({
    grant,
    name: grants().find(({ id }) => id === grant)?.name ?? "panewatch",
  });
  const act = (ago: number, who: string, pane: string, more: Partial<Act>): Kept<Act> => ({
    ...{ seq: (seq -= 1), key: `key-${seq}`, pane_id: pane, target: "api:1.0", kind: "select" },
    ...{ label: "Yes", about: null, by: by(who), at: NOW - ago, state: "confirmed", reason: null },
    ...more,
  });
  const event = (ago: number, more: Partial<AccessEvent>): Kept<AccessEvent> => ({
    ...{ seq: (seq -= 1), kind: "grant_made", what: "", by: by("firefox"), at: NOW - ago },
    ...{ count: 1, ...more },
  });
  const command = (text: string) => ({ about: { kind: "command" as const, text } });
  // In the order in which they are numbered.
  const acts: Kept<Act>[] = [];
  const events: Kept<AccessEvent>[] = [];
  acts.push(act(60, "pixel", "%21", command("pnpm prisma migrate deploy")));
  acts.push(act(240, "pixel", "%12", { kind: "text", label: "text of 42 characters" }));
  acts.push(
    act(360, "ipad", "%99", {
      ...command("npm run sync"),
      ...{ target: "stock:0.0", state: "refused", reason: "prompt_changed" },
    }),
  );
  events.push(event(600, { what: "Wall display (look)" }));
  acts.push(act(900, "pixel", "%14", command("npm test -- --run refund")));
  acts.push(act(1260, "firefox", "%15", { kind: "stop", label: "Escape" }));
  for (const pane of ["%12", "%14", "%15"])
    acts.push(
      act(1620, "firefox", pane, {
        kind: "broadcast",
        label: "text of 9 characters",
        state: "sent",
      }),
    );
  events.push(event(2460, { kind: "sign_refused", what: "192.168.1.77", count: 4 }));
  events.push(event(2760, { kind: "settings_changed", what: "poll_interval, naming_mode" }));
  acts.push(
    act(DAY, "ipad", "%15", {
      label: "Cursor",
      about: { kind: "question", text: "Which pagination should the list endpoints use?" },
    }),
  );
  acts.push(
    act(DAY + 11_000, "pixel", "%21", {
      ...{ kind: "text", label: "text of 118 characters", state: "unknown" },
      reason: "delivery_unknown",
    }),
  );
  return { acts, events };
}

/** A server that knows who is let in and what they did; this page is one of them. */
export function withRecord(
  server: FixtureServer,
  { self = "pixel", devices = grants() }: { self?: string; devices?: GrantState[] } = {},
): void {
  let known = devices;
  const me = () => known.find(({ id }) => id === self);
  const { _info } = server.config;
  server.config = ConfigReply.parse({
    ...server.config,
    _info: {
      ..._info,
      grant: { id: self, name: me()?.name ?? "", scope: me()?.scope ?? "own" },
      capabilities: {
        ..._info.capabilities,
        grants_v1: { version: 1 },
        act_ledger_v1: { version: 1, incarnation: "fixture" },
      },
    },
  });
  server.replies["/api/grants"] = () => GrantsReply.parse({ grants: known });
  server.replies["/api/grants/self"] = () => me();
  for (const { id } of devices)
    server.replies[`/api/grants/${id}`] = (body) => {
      const one = known.find((grant) => grant.id === id);
      if (!("also_let_in" in body)) {
        const changed = GrantState.parse({ ...one, ...body });
        known = known.map((grant) => (grant.id === id ? changed : grant));
        return changed;
      }
      const gone = (grant: GrantState) =>
        grant.id === id || (body["also_let_in"] === true && grant.by === id);
      const removed = known.filter(gone);
      known = known.filter((grant) => !gone(grant));
      const may_know_token = removed.some(({ scope }) => scope === "type" || scope === "own");
      return GrantRemoved.parse({ ok: true, removed, let_in: [], may_know_token });
    };
  server.replies["/api/acts"] = (_, query) => {
    const of = (name: string) => query.get(name);
    const all = record();
    const isOf = (name: string, value: string) => (of(name) ?? value) === value;
    const fits = ({ by, kind }: Act | AccessEvent) => isOf("by", by.grant) && isOf("kind", kind);
    return RecordReply.parse({
      acts: all.acts.filter((one) => fits(one) && isOf("pane", one.pane_id)),
      events: of("pane") === null ? all.events.filter(fits) : [],
      before: null,
    });
  };
}
