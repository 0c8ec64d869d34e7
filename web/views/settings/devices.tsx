import type { JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { allows, type Scope, SCOPES } from "../../../src/protocol/scope.ts";
import type { SeenGrant } from "../../../src/protocol/tolerant-phone.ts";
import { recordHash } from "../../model/record.ts";
import { daysBetween } from "../../model/timeline.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Grants } from "../../state/server/grants.ts";
import { PhoneSetup } from "../../state/server/phone.ts";
import { Button } from "../../ui/button.tsx";
import { giveFocus } from "../../ui/focus.ts";
import { Icon } from "../../ui/icons.tsx";
import { Item, LinkItem } from "../../ui/item.tsx";
import { Heading } from "../../ui/section.tsx";
import { Segments } from "../../ui/segments.tsx";
import { Tag } from "../../ui/tag.tsx";
import { common } from "../../words/common.ts";
import { mayOf, scopes } from "../../words/scopes.ts";
import { whenText } from "../../words/times.ts";
import { useWatch } from "../agents/use.ts";
import { useAct } from "../parts/act.ts";
import { useToday } from "../parts/derived.ts";
import { useNewToken } from "../phone/checks.tsx";
import { CommitInput, Fault, Group } from "./rows.tsx";
import { SignOut } from "./sign-out.tsx";

export const GONE = "a device that was removed";

/** Whoever is let in: to an owner all of them, to anybody else itself. */
export function DevicesSettings(): JSX.Element {
  const server = useServer();
  const { router } = useBrowser();
  const grants = usePart(Grants);
  const isOwner = server.may("own");
  const asked = isOwner ? grants.all : grants.self;
  useWatch(asked);
  const all = grants.all.value.value?.grants ?? [];
  const own = grants.self.value.value;
  // What signs in and is no device is told once somebody has used it.
  const shown = isOwner
    ? all.filter((grant) => isDevice(grant) || isUsed(grant))
    : own === null
      ? []
      : [own];
  const self = useSelf();
  const ordered = [...shown].sort((a, b) => rankOf(a, self) - rankOf(b, self));
  return (
    <>
      {asked.failure.value !== null && <Fault>The devices could not be read.</Fault>}
      {ordered.length > 0 && (
        <Group title="Let in" {...(isOwner ? { whose: "everyone" as const } : {})}>
          {ordered.map((grant) => (
            <DeviceRow key={grant.id} grant={grant} all={all} isSelf={grant.id === self} />
          ))}
        </Group>
      )}
      {!isOwner && <SignOut />}
      <p class="page-text">Not used for 180 days: gone by itself.</p>
      {isOwner && (
        <div class="set">
          <LinkItem
            icon="plus"
            label="Let in another device"
            onClick={() => router.show("settings-let-in", null, "above")}
          />
          <LinkItem icon="clock" label="Record" onClick={() => router.go(recordHash())} />
        </div>
      )}
    </>
  );
}

const isDevice = ({ expires_at }: SeenGrant): boolean => expires_at !== null;
export const isUsed = ({ last_used_at, sockets }: SeenGrant): boolean =>
  last_used_at !== null || sockets > 0;
const rankOf = (grant: SeenGrant, self: string): number =>
  grant.id === self ? 0 : isDevice(grant) ? 1 : 2;

const useSelf = (): string => useServer().config.current.value?._info.grant?.id ?? "";

export const deviceIcon = (name: string) =>
  /Android|iOS|iPadOS|Pixel|iPad|iPhone|Galaxy/.test(name) ? "phone" : "screen";

function DeviceRow(props: {
  readonly grant: SeenGrant;
  readonly all: readonly SeenGrant[];
  readonly isSelf: boolean;
}): JSX.Element {
  const { grant, all, isSelf } = props;
  const { router } = useBrowser();
  const leads = useServer().may("own") && isDevice(grant);
  const used = useLastUse(grant);
  const letIn = useLetIn(grant, all);
  const lines = (
    <>
      <Icon name={deviceIcon(grant.name)} />
      <span class="grow">
        <b>{grant.name}</b> {isSelf && <Tag>this device</Tag>}
        <span class="device-may">{mayOf(grant.scope)}</span>
        <span class="item-hint numbers">{used}</span>
        {isDevice(grant) && <span class="item-hint">{letIn}</span>}
      </span>
    </>
  );
  if (!leads) return <div class="item let-in">{lines}</div>;
  return (
    <button
      type="button"
      class="item let-in"
      onClick={() => router.show("settings-device", grant.id, "above")}
    >
      {lines}
      <Icon name="next" class="small" />
    </button>
  );
}

function useLastTime({ sockets, last_used_at: at }: SeenGrant): string {
  const today = useToday();
  if (sockets > 0) return "now";
  return at === null ? "not used yet" : whenText(at, daysBetween(at, today));
}

/** "now, from 192.168.1.31" */
function useLastUse(grant: SeenGrant): string {
  const { last_address: from } = grant;
  return useLastTime(grant) + (from === null ? "" : `, from ${placeOf(from)}`);
}

const placeOf = (address: string): string =>
  /^(127\.|::1$|::ffff:127\.)/.test(address) ? "this machine" : address;

function useLetIn(grant: SeenGrant, all: readonly SeenGrant[]): string {
  const today = useToday();
  const { by, created_at: at } = grant;
  const day = at === null ? "" : dayWord(at, today);
  if (by === null) return day === "" ? "" : `let in ${day}`;
  const name = all.find(({ id }) => id === by)?.name ?? GONE;
  return [`let in by ${name}`, day].filter((text) => text !== "").join(", ");
}

function dayWord(at: number, today: number): string {
  const ago = daysBetween(at, today);
  return ago === 0 ? "today" : ago === 1 ? "yesterday" : whenText(at, ago);
}

/** Of one device by its id; null once it is gone. */
export function useGrant(id: string | null): SeenGrant | null {
  const grants = usePart(Grants);
  return grants.all.value.value?.grants.find((one) => one.id === id) ?? null;
}

/** One device: what it may do, when it was used, what it did, and its end. */
export function DeviceSettings(): JSX.Element | null {
  const { router } = useBrowser();
  const grants = usePart(Grants);
  useWatch(grants.all);
  const grant = useGrant(router.sheet.value?.paneId ?? null);
  const isKnown = grants.all.value.value !== null;
  if (grant === null) return isKnown ? <p class="page-text">This device is not let in.</p> : null;
  return <Device key={grant.id} grant={grant} />;
}

function Device({ grant }: { readonly grant: SeenGrant }): JSX.Element {
  const { router } = useBrowser();
  const grants = usePart(Grants);
  const act = useAct("Not changed");
  const all = grants.all.value.value?.grants ?? [];
  const self = useSelf();
  const { id, scope, last_address: from } = grant;
  return (
    <>
      <ItMay
        options={SCOPES}
        chosen={scope}
        onChoose={(next) => void act.run(() => grants.change(id, { scope: next }))}
      />
      {act.fault !== "" && <Fault>{act.fault}</Fault>}
      <Group title="Device">
        <Item label="Name">
          <CommitInput
            class="item-text text-2 fs-16"
            label="Name"
            maxLength={60}
            value={grant.name}
            onCommit={(name) => {
              if (name.trim() !== "") void act.run(() => grants.change(id, { name }));
            }}
          />
        </Item>
        <Item label="Used last">
          <span class="item-value numbers">{useLastTime(grant)}</span>
        </Item>
        {from !== null && (
          <Item label="From">
            <span class="item-value numbers">{placeOf(from)}</span>
          </Item>
        )}
        <Item label={grant.by === null ? "Let in" : "Let in by"}>
          <span class="item-value">{useLetIn(grant, all).replace(/^let in (by )?/, "")}</span>
        </Item>
        <LinkItem label="What it did" onClick={() => router.go(recordHash({ by: id }))} />
      </Group>
      {id !== self && <Remove grant={grant} all={all} />}
    </>
  );
}

/** What a device may do, and what that means. */
function ItMay<T extends Scope>(props: {
  readonly options: readonly T[];
  readonly chosen: T | "unknown";
  readonly onChoose: (scope: T) => void;
}): JSX.Element {
  const { options, chosen, onChoose } = props;
  return (
    <section class="it-may">
      <Heading kind="sheet" title="It may" />
      <Segments<T | "unknown">
        label="It may"
        options={options.map((value) => ({ value, label: scopes[value].label }))}
        chosen={chosen}
        onChoose={(scope) => {
          if (scope !== "unknown") onChoose(scope);
        }}
      />
      <p class="page-text">{chosen === "unknown" ? mayOf(chosen) : scopes[chosen].text}</p>
    </section>
  );
}

/** Asks once more, with what else shall go: whom it let in, and the token that it could have read. */
function Remove(props: {
  readonly grant: SeenGrant;
  readonly all: readonly SeenGrant[];
}): JSX.Element {
  const { grant, all } = props;
  const { name, scope } = grant;
  const { router } = useBrowser();
  const grants = usePart(Grants);
  const setup = usePart(PhoneSetup);
  useWatch(setup.state);
  const act = useAct("Not removed");
  const { make } = useNewToken(setup, { renew: true });
  const [isAsking, setAsking] = useState(false);
  const [alsoLetIn, setAlsoLetIn] = useState(true);
  const [renews, setRenews] = useState(true);
  const cancel = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  const hasAsked = useRef(false);
  useLayoutEffect(() => {
    // Asked for by a press; at first nothing was.
    if (isAsking) giveFocus(cancel.current);
    else if (hasAsked.current) giveFocus(opener.current);
    hasAsked.current ||= isAsking;
  }, [isAsking]);
  const letIn = all.filter(({ by }) => by === grant.id);
  const token = setup.state.value.value?.token;
  const mayKnow = scope === "unknown" || allows(scope, "type");
  const remove = async () => {
    const removed = await act.run(() => grants.remove(grant.id, alsoLetIn && letIn.length > 0));
    if (removed?.ok !== true) return;
    if (removed.value.may_know_token && renews && token === "kept") await make();
    router.close();
  };
  if (!isAsking)
    return (
      <div class="set settings-leave">
        <button ref={opener} type="button" class="item danger-text" onClick={() => setAsking(true)}>
          Remove
        </button>
      </div>
    );
  return (
    <div class="remove-device grid gap-8 round-4" role="alertdialog" aria-labelledby={titleId}>
      <p id={titleId}>
        <b>Remove {name}?</b> It is signed out at once, its alerts end.
      </p>
      {letIn.length > 0 && (
        <Check
          label={`It let in: ${letIn.map((one) => one.name).join(", ")}; remove too`}
          isOn={alsoLetIn}
          onChange={setAlsoLetIn}
        />
      )}
      {mayKnow && token === "kept" && (
        <Check
          label="Make a new token"
          hint="It could have read the one in use. Other devices stay signed in."
          isOn={renews}
          onChange={setRenews}
        />
      )}
      {mayKnow && token === "configured" && (
        <p>It could have read server.token. Change that in the configuration.</p>
      )}
      {act.fault !== "" && <Fault>{act.fault}</Fault>}
      <div class="actions">
        <Button ref={cancel} disabled={act.isBusy} onClick={() => setAsking(false)}>
          {common.cancel}
        </Button>
        <Button tone="danger" disabled={act.isBusy} onClick={() => void remove()}>
          Remove
        </Button>
      </div>
    </div>
  );
}

function Check(props: {
  readonly label: string;
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): JSX.Element {
  const { label, hint, isOn, onChange } = props;
  return (
    <label class="check-item grid gap-12 tap">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <span>
        {label}
        {hint !== undefined && <span class="item-hint">{hint}</span>}
      </span>
    </label>
  );
}

/** What the next device may do is chosen before its code is made. */
export function LetInSettings(): JSX.Element {
  const { router } = useBrowser();
  const setup = usePart(PhoneSetup);
  return (
    <>
      <ItMay
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

export const CODE_SCOPES = ["look", "answer", "type"] as const;
