import type { JSX } from "preact";
import { type Scope, SCOPES } from "../../../src/protocol/scope.ts";
import type { SeenGrant } from "../../../src/protocol/tolerant-phone.ts";
import type { PhoneSetup } from "../../state/server/phone.ts";
import { useBrowser, useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Heading } from "../../ui/section.tsx";
import { dayOf } from "../../words/notifications.ts";
import { waitText } from "../../words/common.ts";
import { phone as words } from "../../words/phone.ts";
import { useNewToken } from "./checks.tsx";

/** Every device that has signed in by a code, and what a removed one has left behind. */
export function Devices({ setup }: { readonly setup: PhoneSetup }): JSX.Element {
  const grants = setup.grants.value.value?.grants ?? [];
  const devices = grants.filter(({ expires_at }) => expires_at !== null);
  const problem = setup.problem.value;
  return (
    <>
      <Heading kind="page" title={words.devices} />
      {devices.length === 0 && <p class="phone-text">{words.none}</p>}
      {devices.length > 0 && (
        <ul class="set phone-devices">
          {devices.map((grant) => (
            <Device key={grant.id} setup={setup} grant={grant} all={grants} />
          ))}
        </ul>
      )}
      <LeftBehind setup={setup} />
      {devices.length > 0 && <p class="phone-text">{words.removeText}</p>}
      {problem !== "" && (
        <p class="saving wrong" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

function Device(props: {
  readonly setup: PhoneSetup;
  readonly grant: SeenGrant;
  readonly all: readonly SeenGrant[];
}): JSX.Element {
  const { setup, grant, all } = props;
  const { id, name, scope, created_at } = grant;
  const { config } = useClient().server;
  const isSelf = config.current.value?._info.grant?.id === id;
  const by =
    grant.by === null ? null : (all.find((one) => one.id === grant.by)?.name ?? words.byGone);
  return (
    <li class="item">
      <Icon name={/Android|iOS|iPadOS/.test(name) ? "phone" : "screen"} />
      <span class="grow">
        {name}
        {isSelf && <b class="phone-self"> {words.self}</b>}
        <span class="item-hint numbers">
          {words.since(dayOf(created_at ?? 0), by)} <LastUsed grant={grant} />
        </span>
      </span>
      <span class="item-value">
        <select
          aria-label={words.scopeOf(name)}
          value={scope}
          // The options are those of the list and nothing else.
          onChange={(event) => void setup.change(id, event.currentTarget.value as Scope)}
        >
          {SCOPES.map((one) => (
            <option key={one} value={one}>
              {words.scopes[one]}
            </option>
          ))}
        </select>
        <Icon name="down" class="small" />
      </span>
      <Button size="small" aria-label={words.removeOf(name)} onClick={() => void setup.remove(id)}>
        {words.remove}
      </Button>
    </li>
  );
}

function LastUsed({ grant }: { readonly grant: SeenGrant }): JSX.Element | null {
  const { clock } = useBrowser();
  const { last_used_at: at, last_address: address, sockets } = grant;
  if (sockets > 0) return <>{words.open(address ?? "")}</>;
  if (at === null) return null;
  return <>{words.used(waitText(Math.max(0, clock.now.value - at)), address ?? "")}</>;
}

/** Whom it had let in, and the token that it could have read. */
function LeftBehind({ setup }: { readonly setup: PhoneSetup }): JSX.Element | null {
  const { isMaking, make } = useNewToken(setup, { renew: true });
  const left = setup.left.value;
  const isKept = setup.state.value.value?.token === "kept";
  if (left === null) return null;
  return (
    <div class="phone-left" role="status">
      {left.let_in.length > 0 && (
        <p>
          {words.hadLetIn(left.let_in.map(({ name }) => name).join(", "))}{" "}
          <Button size="small" onClick={() => void setup.removeLetIn()}>
            {words.removeToo}
          </Button>
        </p>
      )}
      {left.may_know_token && (
        <p>
          {words.mayKnow}{" "}
          {isKept ? (
            <Button size="small" disabled={isMaking} onClick={() => void make()}>
              {isMaking ? words.making : words.renew}
            </Button>
          ) : (
            words.renewConfigured
          )}
        </p>
      )}
      <Button tone="plain" size="small" onClick={() => (setup.left.value = null)}>
        {words.leave}
      </Button>
    </div>
  );
}
