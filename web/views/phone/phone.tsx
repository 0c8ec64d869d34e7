import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { PhoneSetup } from "../../state/server/phone.ts";
import { useClient, usePart } from "../../state/client.ts";
import { LinkItem } from "../../ui/item.tsx";
import { Heading } from "../../ui/section.tsx";
import { common } from "../../words/common.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { BackButton } from "../parts/head.tsx";
import { Checks } from "./checks.tsx";
import { Code } from "./code.tsx";

/** How a phone gets here: its code, what is in the way, and the devices that have signed in by one. */
export function PhonePage(): JSX.Element {
  const { browser, server } = useClient();
  const setup = usePart(PhoneSetup);
  const isOwner = server.may("own");
  const isSeen = isOwner && browser.presence.attention.value === "visible";
  useEffect(
    () => (isSeen ? setup.follow(() => browser.clock.now.peek()) : undefined),
    [setup, isSeen],
  );
  const state = setup.state.value.value;
  const failed = setup.failed.value;
  const left = state?.checks.filter((check) => check.state !== "ok").length ?? 0;
  const head = (lead: string) => (
    <header>
      {browser.layout.columns.value === 1 && <BackButton text={common.tabs.queue} />}
      <h1 id="phone-title">On your phone</h1>
      <p role="status">{lead}</p>
    </header>
  );
  if (!isOwner)
    return (
      <main class="phone-page scroll" id="content" aria-labelledby="phone-title">
        {head("Only an owner lets devices in: on the machine itself, panewatch phone does.")}
      </main>
    );
  return (
    <main class="phone-page scroll" id="content" aria-labelledby="phone-title">
      <div class="phone-columns grid">
        {head(leadOf(state === null, left, setup.joined.value))}
        <Code setup={setup} />
        <div>
          {state !== null && (
            <>
              {/* What only this machine can open is of no use elsewhere. */}
              {failed?.id !== "reachable" && failed?.id !== "password" && (
                <>
                  <Heading kind="page" title="Address" />
                  <CopyLines text={state.address} label="Copy" />
                </>
              )}
              <Checks setup={setup} state={state} />
              {failed?.id === "reachable" && (
                <OtherWays
                  port={new URL(state.address).port}
                  hasTailscale={state.tailscale !== "none"}
                />
              )}
              <div class="set phone-way">
                <LinkItem
                  icon="phone"
                  label="Devices"
                  hint="Who is let in, and what each may do"
                  onClick={() => browser.router.show("settings-devices")}
                />
              </div>
            </>
          )}
        </div>
      </div>
    </main>
  );
}

function leadOf(isLooking: boolean, left: number, joined: string | null): string {
  if (joined !== null) return `${joined} has signed in.`;
  if (isLooking) return "Looking at what is in the way.";
  return left > 0
    ? `${left === 1 ? "One thing is" : `${left} things are`} in the way. Then the code appears.`
    : "Scan the code with its camera. It opens this queue, signed in.";
}

/** Any address with HTTPS: what leads to one. */
function OtherWays(props: { readonly port: string; readonly hasTailscale: boolean }): JSX.Element {
  const { port, hasTailscale } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Heading kind="page" title={hasTailscale ? "Without Tailscale" : "No Tailscale?"} />
      <p class="phone-text text-2 fs-15">
        Any address with HTTPS will do.{" "}
        <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Other ways
        </button>
      </p>
      {isOpen &&
        waysOf(port).map(({ title, text, command }) => (
          <section key={title} class="phone-way">
            <h3>{title}</h3>
            <p>{text}</p>
            <CopyLines text={command} label="Copy" />
          </section>
        ))}
    </>
  );
}

const waysOf = (port: string) => [
  {
    title: "Cloudflare Tunnel",
    text: "Everybody on the internet can open its address; the token keeps them out.",
    command: `cloudflared tunnel --url http://127.0.0.1:${port}`,
  },
  {
    title: "A proxy of your own",
    text: "It keeps the Host header. Then name its address on this machine:",
    command: "panewatch phone --address https://panes.example",
  },
];
