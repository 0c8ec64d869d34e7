import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { PhoneSetup } from "../../state/server/phone.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Heading } from "../../ui/section.tsx";
import { common } from "../../words/common.ts";
import { dayOf } from "../../words/notifications.ts";
import { phone as words } from "../../words/phone.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { BackButton } from "../parts/head.tsx";
import { Checks } from "./checks.tsx";
import { Code } from "./code.tsx";

/** How a phone gets here: its code, what is in the way, and the devices that have signed in by one. */
export function PhonePage(): JSX.Element {
  const { browser } = useClient();
  const setup = usePart(PhoneSetup);
  const isSeen = browser.presence.attention.value === "visible";
  useEffect(
    () => (isSeen ? setup.follow(() => browser.clock.now.peek()) : undefined),
    [setup, isSeen],
  );
  const state = setup.state.value.value;
  const failed = setup.failed.value;
  return (
    <main class="phone-page scroll" id="content" aria-labelledby="phone-title">
      <div class="phone-columns">
        <header>
          {browser.layout.columns.value === 1 && <BackButton text={common.tabs.queue} />}
          <h1 id="phone-title">{words.title}</h1>
          <p role="status">{leadOf(state === null, failed !== null, setup.joined.value)}</p>
        </header>
        <Code setup={setup} />
        <div>
          {state !== null && (
            <>
              <Heading kind="page" title={words.address} />
              <CopyLines text={state.address} label={words.copy} />
              <Checks setup={setup} state={state} />
              {failed?.id === "reachable" && <OtherWays port={new URL(state.address).port} />}
              <Paired setup={setup} />
            </>
          )}
        </div>
      </div>
    </main>
  );
}

function leadOf(isLooking: boolean, isBlocked: boolean, joined: string | null): string {
  if (joined !== null) return words.joined(joined);
  if (isLooking) return words.looking;
  return isBlocked ? words.blocked : words.scan;
}

/** Any address with HTTPS: what leads to one. */
function OtherWays({ port }: { readonly port: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Heading kind="page" title={words.noTailscale} />
      <p class="phone-text">
        {words.anyHttps}{" "}
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.otherWays}
        </button>
      </p>
      {isOpen &&
        words.ways(port).map(({ title, text, command }) => (
          <section key={title} class="phone-way">
            <h3>{title}</h3>
            <p>{text}</p>
            <CopyLines text={command} label={words.copy} />
          </section>
        ))}
    </>
  );
}

/** Every device that has signed in by a code. */
function Paired({ setup }: { readonly setup: PhoneSetup }): JSX.Element {
  const phones = setup.state.value.value?.phones ?? [];
  const problem = setup.problem.value;
  return (
    <>
      <Heading kind="page" title={words.paired} />
      {phones.length === 0 && <p class="phone-text">{words.none}</p>}
      {phones.length > 0 && (
        <ul class="set phone-devices">
          {phones.map(({ id, name, paired_at }) => (
            <li key={id} class="item">
              <Icon name={/Android|iOS|iPadOS/.test(name) ? "phone" : "screen"} />
              <span class="grow">
                {name}
                <span class="item-hint">{words.since(dayOf(paired_at))}</span>
              </span>
              <Button
                size="small"
                aria-label={words.removeOf(name)}
                onClick={() => void setup.remove(id)}
              >
                {words.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {phones.length > 0 && <p class="phone-text">{words.removeText}</p>}
      {problem !== "" && (
        <p class="saving wrong" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
