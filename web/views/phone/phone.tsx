import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { SeenPhoneState } from "../../../src/protocol/tolerant-later.ts";
import { reasonOf } from "../../net/api.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { PhoneSetup } from "../../state/server/sign-in.ts";
import { Button, Icon, StatusIcon } from "../../ui/button.tsx";
import { Heading } from "../../ui/heading.tsx";
import { Item, StatusLine } from "../../ui/item.tsx";
import { useWaitingCount } from "../parts/derived.ts";
import { BackButton } from "../parts/head.tsx";
import { CopyLines } from "../parts/lines.tsx";
import { Fault, faultOf, useAct, usePolling } from "../parts/query-status.tsx";
import { Banner } from "../parts/screen-header.tsx";
import { HomeScreen } from "../settings/alerts.tsx";
import { PageLink } from "../settings/rows.tsx";
import { STEPS, useThisDevice } from "../settings/this-device.tsx";
import { common } from "../../words/common.ts";
import { scopes } from "../../words/scopes.ts";

const LOOK_EVERY_MS = 3000;
export const NO_TOKEN = "No token was made";

/** The code that lets a phone in, and what has to be mended first. */
export function PhonePage(): JSX.Element {
  const { browser, server } = useClient();
  const setup = usePart(PhoneSetup);
  const isNarrow = browser.layout.columns.value === 1;
  const isOwner = server.may("own");
  usePolling(isOwner, LOOK_EVERY_MS, () => setup.look(browser.clock.now.peek()));
  const state = setup.state.value.value;
  const failed = setup.failed.value?.id;
  const left = state?.checks.filter((check) => check.state !== "ok").length ?? 0;
  const lead = isOwner
    ? leadOf(state === null, left, setup.joined.value)
    : "Only an owner lets devices in: on the machine itself, panewatch phone does.";
  return (
    <main class="phone-page scroll ground" id="content" aria-labelledby="phone-title">
      <div class="phone-columns auto start grid">
        <header>
          {isNarrow && <BackButton text={common.tabs.queue} />}
          {isNarrow && <Banner />}
          <h1 id="phone-title" class="fs-28">
            On your phone
          </h1>
          <p class="mt-4 text-2" role="status">
            {lead}
          </p>
        </header>
        {isOwner && <PairingCode setup={setup} />}
        {isOwner && state !== null && (
          <div>
            {/* An address that only this machine can open is of no use elsewhere. */}
            {failed !== "reachable" && failed !== "password" && (
              <>
                <Heading kind="page" title="Address" />
                <CopyLines text={state.address} />
              </>
            )}
            <Heading
              kind="page"
              title={failed === undefined ? "Nothing in the way" : "In the way"}
            />
            <ul class="checks grid gap-8">
              {state.checks.map((check) => (
                <CheckItem key={check.id} setup={setup} check={check} />
              ))}
            </ul>
            {failed === "reachable" && (
              <OtherWays
                port={new URL(state.address).port}
                hasTailscale={state.tailscale !== "none"}
              />
            )}
            <div class="set mt-12">
              <PageLink
                icon="phone"
                to="settings-devices"
                hint="Who is let in, and what each may do"
              />
            </div>
          </div>
        )}
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

const CHECK_STATES = { ok: "done", failed: "failed", waiting: "open", unknown: "open" } as const;

/** A condition for the code, with its remedy where it fails. */
function CheckItem(props: {
  readonly setup: PhoneSetup;
  readonly check: SeenPhoneState["checks"][number];
}): JSX.Element {
  const { setup, check } = props;
  const { id, state, title, sentence, command } = check;
  const isFailed = state === "failed";
  const { isBusy, fault, make } = useNewToken(setup);
  return (
    <StatusLine as="li" state={CHECK_STATES[state]}>
      {isFailed ? <b>{title}</b> : title}
      {sentence !== "" && <small>{sentence}</small>}
      {isFailed && command !== null && <CopyLines text={command} />}
      {isFailed && id === "password" && (
        <>
          <Button
            tone="primary"
            size="small"
            class="mt-8"
            disabled={isBusy}
            onClick={() => void make()}
          >
            {isBusy ? "Making it" : "Make a token"}
          </Button>
          <Fault>{fault}</Fault>
        </>
      )}
      {isFailed && id === "encrypted" && (
        <Button size="small" onClick={() => (setup.isPlainTaken.value = true)}>
          Show the code all the same
        </Button>
      )}
    </StatusLine>
  );
}

/** This page signs in with the new token, unless it is a device with a grant of its own. */
export function useNewToken(setup: PhoneSetup) {
  const { browser, server } = useClient();
  const { run, ...act } = useAct(NO_TOKEN);
  const make = async (json: { readonly renew?: boolean } = {}) => {
    const result = await run(() => server.api.call("POST /api/phone/token", { json }));
    const grant = server.config.current.peek()?._info.grant?.id;
    const isDevice = grant !== undefined && !["token", "local", "anybody"].includes(grant);
    if (result?.ok === true && !isDevice) {
      server.token.set(result.value.token);
      server.link.start();
      void server.config.load();
      await setup.look(browser.clock.now.peek());
    }
    return result;
  };
  return { ...act, make };
}

/** The code, its remaining time and its scope, or a placeholder of the same size. */
function PairingCode({ setup }: { readonly setup: PhoneSetup }): JSX.Element {
  const { clock } = useBrowser();
  const link = setup.link.value.value;
  const failure = setup.link.failure.value;
  if (link === null || !setup.canShowCode.value)
    return (
      <div>
        <div class="qr auto round-4 no-qr grid gap-10 text-2 fs-13 centred">
          <Icon name="phone" />
          <span>
            The code comes here
            <br />
            once phones can reach this page
          </span>
        </div>
        <Fault>{failure !== null && reasonOf(failure)}</Fault>
        <p class="phone-under mt-12 fs-13 prose text-2 centred">
          <StatusIcon shape="working" /> Looking every 3 s
        </p>
      </div>
    );
  const { expires_at, qr, short_code, url } = link;
  const left = Math.max(0, Math.floor(expires_at - clock.now.value));
  return (
    <div>
      <div class="qr auto round-4">
        <svg
          viewBox={`0 0 ${qr.size} ${qr.size}`}
          role="img"
          aria-label={`QR code of ${url}`}
          shapeRendering="crispEdges"
        >
          <path d={qr.path} />
        </svg>
      </div>
      <p class="phone-under mt-12 fs-13 prose text-2 centred">
        <b class="numbers text-1">
          Works once, for {Math.floor(left / 60)}:{String(left % 60).padStart(2, "0")}
        </b>
        <br />
        Or open the address and type <span class="mono text-1">{short_code}</span>
        <br />
        It {scopes[setup.codeScope.value].may}
      </p>
    </div>
  );
}

/** Other ways to an address with HTTPS. */
function OtherWays(props: { readonly port: string; readonly hasTailscale: boolean }): JSX.Element {
  const { port, hasTailscale } = props;
  const ways = [
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
  return (
    <>
      <Heading kind="page" title={hasTailscale ? "Without Tailscale" : "No Tailscale?"} />
      <p class="text-2">Any address with HTTPS will do.</p>
      <details>
        <summary class="flex tap bold text-accent">Other ways</summary>
        {ways.map(({ title, text, command }) => (
          <section key={title} class="mb-12">
            <h3 class="fs-15">{title}</h3>
            <p class="fs-13 text-2">{text}</p>
            <CopyLines text={command} />
          </section>
        ))}
      </details>
    </>
  );
}

/** The first page of a device that a code has let in. */
export function Paired(): JSX.Element {
  const { browser } = useClient();
  const setup = usePart(PhoneSetup);
  const waiting = useWaitingCount();
  useEffect(() => void setup.state.load(), [setup]);
  const { isPhone } = useThisDevice();
  const host = setup.state.value.value?.host ?? "";
  return (
    <main class="paired stack ground" id="content" aria-labelledby="paired-title">
      <div class="scroll" tabIndex={0}>
        <header class="centred">
          <span class="paired-mark auto center round text-ok">
            <Icon name="check" />
          </span>
          <h1 id="paired-title" class="mt-12 fs-28">
            Paired
          </h1>
          <p class="mt-4 text-2">
            This {isPhone ? "phone" : "browser"} now sees the agents on{" "}
            {host === "" ? "this server" : host}.
          </p>
        </header>
        <div class="set gutter">
          <HomeScreen icon={browser.install.way.value === "installed" ? "check" : "plus"} />
          <AlertsItem />
        </div>
        <p class="pad text-2 fs-13">You can do both later: Settings, Phone and alerts.</p>
      </div>
      <footer class="rule">
        <Button tone="primary" size="block" onClick={() => browser.router.replace("#/queue")}>
          Open the queue
          {waiting > 0 && (
            <span class="badge numbers" role="img" aria-label={common.waitingBadge(waiting)}>
              {waiting}
            </span>
          )}
        </Button>
      </footer>
    </main>
  );
}

function AlertsItem(): JSX.Element | null {
  const { config } = useServer();
  const notifications = usePart(Notifications);
  const { failed } = useThisDevice();
  const hasPush = config.has("web_push_v1");
  useEffect(() => {
    if (hasPush) void notifications.load();
  }, [hasPush]);
  if (!hasPush) return null;
  const isOn = notifications.own.value !== null;
  const why = failed === null ? undefined : STEPS[failed][1];
  const isBusy = notifications.isBusy.value;
  const failure = notifications.failure.value;
  const fault = failure && faultOf("Not switched on", failure);
  const text = why ?? fault ?? "When an agent waits, also while this page is closed.";
  return (
    <Item icon={isOn ? "check" : "bell"} label="Alerts" hint={isOn ? "On for this device." : text}>
      {!isOn && (
        <Button
          disabled={why !== undefined || isBusy}
          onClick={() => void notifications.switchOn()}
        >
          Switch on
        </Button>
      )}
    </Item>
  );
}
