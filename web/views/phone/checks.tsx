import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenPhoneState } from "../../../src/protocol/tolerant-phone.ts";
import type { PhoneSetup } from "../../state/server/phone.ts";
import { useClient } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Heading } from "../../ui/section.tsx";
import { CopyLines } from "../parts/copy-lines.tsx";

type Check = SeenPhoneState["checks"][number];

/** What has to be true before a phone can come in; the first thing that is not carries what mends it. */
export function Checks(props: {
  readonly setup: PhoneSetup;
  readonly state: SeenPhoneState;
}): JSX.Element {
  const { setup, state } = props;
  const title = setup.failed.value === null ? "Nothing in the way" : "In the way";
  return (
    <>
      <Heading kind="page" title={title} />
      <ul class="phone-checks grid gap-12">
        {state.checks.map((check) => (
          <li key={check.id} class={check.state}>
            <Mark state={check.state} />
            <div>
              {check.state === "failed" ? <b>{check.title}</b> : check.title}
              {check.sentence !== "" && <small>{check.sentence}</small>}
              {check.state === "failed" && <Mend setup={setup} check={check} />}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function Mark({ state }: Pick<Check, "state">): JSX.Element {
  if (state === "ok") return <StatusIcon shape="ok" label="Done" />;
  if (state === "failed") return <Icon name="warning" />;
  return <Icon name="clock" />;
}

function Mend(props: { readonly setup: PhoneSetup; readonly check: Check }): JSX.Element | null {
  const { setup, check } = props;
  return (
    <>
      {check.command !== null && <CopyLines text={check.command} label="Copy" />}
      {check.id === "password" && <MakeToken setup={setup} />}
      {check.id === "encrypted" && (
        <Button size="small" onClick={() => (setup.isPlainTaken.value = true)}>
          Show the code all the same
        </Button>
      )}
    </>
  );
}

function MakeToken({ setup }: { readonly setup: PhoneSetup }): JSX.Element {
  const { isMaking, make } = useNewToken(setup, {});
  return (
    <Button tone="primary" size="small" disabled={isMaking} onClick={() => void make()}>
      {isMaking ? "Making it" : "Make a token"}
    </Button>
  );
}

/** The page that asks goes on with the token, unless it is let in as a device of its own. */
export function useNewToken(setup: PhoneSetup, body: { readonly renew?: boolean }) {
  const { browser, server } = useClient();
  const [isMaking, setMaking] = useState(false);
  const make = async () => {
    setMaking(true);
    const token = await setup.makeToken(body);
    const grant = server.config.current.peek()?._info.grant?.id;
    const isDevice = grant !== undefined && !["token", "local", "anybody"].includes(grant);
    if (token !== null && !isDevice) {
      server.token.set(token);
      server.connect();
      void server.config.load();
      await setup.look(browser.clock.now.peek());
    }
    setMaking(false);
  };
  return { isMaking, make };
}
