import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { allows, type Scope, SCOPES } from "../../../src/protocol/scope.ts";
import { readGrant, readGrants, type SeenGrant } from "../../../src/protocol/tolerant-later.ts";
import { recordHash } from "../../state/server/record.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { PhoneSetup } from "../../state/server/sign-in.ts";
import type { Query } from "../../state/server/query.ts";
import { Queries } from "../../state/server/queries.ts";
import { Button } from "../../ui/button.tsx";
import { Item, LinkItem, Segments } from "../../ui/item.tsx";
import { Heading, Tag } from "../../ui/heading.tsx";
import { mayOf, scopes } from "../../words/scopes.ts";
import { daysBetween } from "../../words/common.ts";
import { whenText } from "../../words/times.ts";
import { useChange, useWatch } from "../agents/use.ts";
import { Fault, faultOf, useAct } from "../parts/query-status.tsx";
import { useToday } from "../parts/derived.ts";
import { NO_TOKEN, useNewToken } from "../phone/phone.tsx";
import { SignOut } from "./preferences.tsx";
import { CommitInput } from "./fields.tsx";
import { Group, PageLink, ConfirmInPlace } from "./rows.tsx";

const CODE_SCOPES = ["look", "answer", "type"] as const;

const isDevice = ({ expires_at }: SeenGrant): boolean => expires_at !== null;
export const isUsed = ({ last_used_at, sockets }: SeenGrant): boolean =>
  last_used_at !== null || sockets > 0;
export const deviceIcon = (name: string) =>
  /Android|iOS|Pixel|iPad|iPhone|Galaxy/i.test(name) ? "phone" : "screen";

const useSelf = (): string => useServer().config.current.value?._info.grant?.id ?? "";

export const useGrantsQuery = () => usePart(Queries).query("GET /api/grants", { read: readGrants });
const useGrants = () => useGrantsQuery().value.value?.grants ?? [];

/** Keeps the list of grants fresh: the server sends its configuration anew when a grant changes. */
export function useWatchGrants(query: Query<unknown> | null): void {
  useWatch(query);
  useChange(useServer().config.current.value, () => query?.invalidate());
}

/** Null once the device was removed. */
export const useGrant = (id: string | null): SeenGrant | null =>
  useGrants().find((one) => one.id === id) ?? null;

/** An owner sees every device, anybody else their own. */
export function DevicesSettings(): JSX.Element {
  const isOwner = useServer().may("own");
  const { router } = useBrowser();
  const all = useGrantsQuery();
  const own = usePart(Queries).query("GET /api/grants/self", { read: readGrant });
  const query = isOwner ? all : own;
  useWatchGrants(query);
  const self = useSelf();
  const everybody = useGrants();
  const grants = isOwner ? everybody : [own.value.value].filter((grant) => grant !== null);
  const rankOf = (grant: SeenGrant) => (grant.id === self ? 0 : isDevice(grant) ? 1 : 2);
  // A token is listed once somebody has used it.
  const shown = grants
    .filter((grant) => !isOwner || isDevice(grant) || isUsed(grant))
    .toSorted((a, b) => rankOf(a) - rankOf(b));
  return (
    <>
      <Fault>{query.failure.value !== null && "The devices could not be read."}</Fault>
      {shown.length > 0 && (
        <Group title="Let in" audience={isOwner ? "everyone" : undefined}>
          {shown.map((grant) => (
            <DeviceRow key={grant.id} grant={grant} isSelf={grant.id === self} />
          ))}
        </Group>
      )}
      {!isOwner && <SignOut />}
      <p class="page-text">Not used for 180 days: gone by itself.</p>
      {isOwner && (
        <div class="set">
          <PageLink icon="plus" to="settings-let-in" />
          <LinkItem icon="clock" label="Record" onClick={() => router.go(recordHash())} />
        </div>
      )}
    </>
  );
}

function DeviceRow(props: { readonly grant: SeenGrant; readonly isSelf: boolean }): JSX.Element {
  const { grant, isSelf } = props;
  const { router } = useBrowser();
  const leads = useServer().may("own") && isDevice(grant);
  const { lastTime, from, letIn } = useGrantFacts(grant);
  const row = {
    icon: deviceIcon(grant.name),
    label: (
      <>
        <b>{grant.name}</b> {isSelf && <Tag>this device</Tag>}
        <span class="device-may">{mayOf(grant.scope)}</span>
      </>
    ),
    hint: (
      <>
        <span class="device-may numbers">{lastTime + (from && `, from ${from}`)}</span>
        {isDevice(grant) && letIn}
      </>
    ),
  } as const;
  if (!leads) return <Item {...row} />;
  return <LinkItem {...row} onClick={() => router.show("settings-device", grant.id, "above")} />;
}

/** Last use, as "now" or a time, its address, and who let the device in. */
function useGrantFacts(grant: SeenGrant) {
  const all = useGrants();
  const today = useToday();
  const { sockets, last_used_at: used, last_address: address, by, created_at: made } = grant;
  const timeOf = (at: number) => whenText(at, today);
  const ago = made === null ? null : daysBetween(made, today);
  const day = made === null ? "" : ago === 0 ? "today" : ago === 1 ? "yesterday" : timeOf(made);
  const name = all.find(({ id }) => id === by)?.name ?? "a device that was removed";
  const letIn = by === null ? day && `let in ${day}` : `let in by ${name}${day && `, ${day}`}`;
  const isHere = /^(127\.|::1$|::ffff:127\.)/.test(address ?? "");
  return {
    lastTime: sockets > 0 ? "now" : used === null ? "not used yet" : timeOf(used),
    from: isHere ? "this machine" : (address ?? ""),
    letIn,
  };
}

export function DeviceSettings(): JSX.Element | null {
  const { router } = useBrowser();
  const isOwner = useServer().may("own");
  const all = useGrantsQuery();
  useWatchGrants(isOwner ? all : null);
  const grant = useGrant(router.sheet.value?.paneId ?? null);
  if (!isOwner) return <p class="page-text">Only an owner sees the devices of others.</p>;
  if (grant === null) return all.value.value && <p class="page-text">This device is not let in.</p>;
  return <DevicePage key={grant.id} grant={grant} />;
}

function DevicePage({ grant }: { readonly grant: SeenGrant }): JSX.Element {
  const { router } = useBrowser();
  const { api } = useServer();
  const all = useGrantsQuery();
  // One each: a name that is given while the scope is being changed is no second press.
  const scoping = useAct("Not changed");
  const naming = useAct("Not changed");
  const { lastTime, from, letIn } = useGrantFacts(grant);
  const { id, name, scope, by } = grant;
  const change = (act: typeof naming, json: { readonly name?: string; readonly scope?: Scope }) =>
    void act.run(async () => {
      const request = { path: { id }, json, read: readGrant };
      const changed = await api.call("PATCH /api/grants/:id", request);
      await all.reload();
      return changed;
    });
  const facts = [
    ["Used last", lastTime],
    ["From", from],
    [by === null ? "Let in" : "Let in by", letIn.replace(/^let in (by )?/, "")],
  ] as const;
  return (
    <>
      <ScopeChoice
        options={SCOPES}
        chosen={scope}
        onChoose={(next) => change(scoping, { scope: next })}
      />
      <Fault>{scoping.fault}</Fault>
      <Group title="Device">
        <Item label="Name">
          <CommitInput
            class="item-text text-2 fs-16"
            label="Name"
            maxLength={60}
            value={name}
            isNeeded
            onCommit={(next) => change(naming, { name: next })}
          />
        </Item>
        <Fault>{naming.fault}</Fault>
        {facts
          .filter(([, value]) => value !== "")
          .map(([label, value]) => (
            <Item key={label} label={label} value={value} />
          ))}
        <LinkItem label="What it did" onClick={() => router.go(recordHash({ by: id }))} />
      </Group>
      {id !== useSelf() && <RemoveDevice grant={grant} />}
    </>
  );
}

function ScopeChoice<T extends Scope>(props: {
  readonly options: readonly T[];
  readonly chosen: T | "unknown";
  readonly onChoose: (scope: T) => void;
}): JSX.Element {
  const { options, chosen, onChoose } = props;
  return (
    <section class="it-may">
      <Heading kind="sheet" title="It may" />
      <Segments<string>
        label="It may"
        options={Object.fromEntries(options.map((value) => [value, scopes[value].label]))}
        chosen={chosen}
        onChoose={(scope) => {
          const known = options.find((one) => one === scope);
          if (known !== undefined) onChoose(known);
        }}
      />
      <p class="page-text">{chosen === "unknown" ? mayOf(chosen) : scopes[chosen].text}</p>
    </section>
  );
}

/** With two choices: to remove the devices that it let in, and to renew a token that it could have read. */
function RemoveDevice({ grant }: { readonly grant: SeenGrant }): JSX.Element {
  const { id, name, scope } = grant;
  const { messages, router } = useBrowser();
  const { api } = useServer();
  const all = useGrantsQuery();
  const setup = usePart(PhoneSetup);
  useWatch(setup.state);
  const { make } = useNewToken(setup);
  const alsoLetIn = useRef<HTMLInputElement>(null);
  const renews = useRef<HTMLInputElement>(null);
  const letIn = useGrants().filter(({ by }) => by === id);
  const phone = setup.state.value.value;
  const mayKnow = scope === "unknown" || allows(scope, "type");
  const remove = async () => {
    const here = router.here();
    const renewsToken = renews.current?.checked === true;
    const json = { also_let_in: alsoLetIn.current?.checked === true };
    const removed = await api.call("DELETE /api/grants/:id", { path: { id }, json });
    await all.reload();
    if (!removed.ok) return removed;
    const made = removed.value.may_know_token && renewsToken ? await make({ renew: true }) : null;
    // The device is removed, but the token it may know is still valid: the reader must see that.
    if (made?.ok === false) messages.alert(faultOf(NO_TOKEN, made.failure));
    here(() => router.close());
    return removed;
  };
  return (
    <ConfirmInPlace
      isRow
      label="Remove"
      sure="Remove"
      text={
        <>
          <b>Remove {name}?</b> It is signed out at once, its alerts end.
        </>
      }
      notDone="Not removed"
      // Before the reply nobody could choose to renew a token that it may know.
      isOff={mayKnow && phone === null && setup.state.failure.value === null}
      onSure={remove}
    >
      {letIn.length > 0 && (
        <label class="flex gap-12 tap">
          <input ref={alsoLetIn} type="checkbox" class="checkbox" defaultChecked />
          <span>It let in: {letIn.map((one) => one.name).join(", ")}; remove too</span>
        </label>
      )}
      {mayKnow && phone?.token === "kept" && (
        <label class="flex gap-12 tap">
          <input ref={renews} type="checkbox" class="checkbox" defaultChecked />
          <span>
            Make a new token
            <span class="item-hint">
              It could have read the one in use. Other devices stay signed in.
            </span>
          </span>
        </label>
      )}
      {mayKnow && phone?.token === "configured" && (
        <p>It could have read server.token. Change that in the configuration.</p>
      )}
    </ConfirmInPlace>
  );
}

/** The scope of the next device is chosen before its code is made. */
export function LetInSettings(): JSX.Element {
  const { router } = useBrowser();
  const setup = usePart(PhoneSetup);
  return (
    <>
      <ScopeChoice
        options={CODE_SCOPES}
        chosen={setup.codeScope.value}
        onChoose={(scope) => void setup.chooseScope(scope)}
      />
      <p class="page-text">An owner can change it later, and make it an owner.</p>
      <Button tone="primary" size="block" onClick={() => router.go("#/phone")}>
        Show its code
      </Button>
    </>
  );
}
