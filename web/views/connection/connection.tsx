import type { ComponentChildren, JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { VERSION } from "../../../src/protocol/version.ts";
import type { outageOf } from "../../model/config.ts";
import type { Phase } from "../../net/connection.ts";
import { type Client, useBrowser, useClient, useServer } from "../../state/client.ts";
import { pair, signIn, type SignInResult } from "../../state/server/sign-in.ts";
import { Button, IconButton, Icon, StatusIcon } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Empty, Mark } from "../../ui/notice.tsx";
import { TerminalText } from "../parts/text.tsx";
import { common } from "../../words/common.ts";
import { atText } from "../../words/times.ts";
import { useToday } from "../parts/derived.ts";

export function SignIn(): JSX.Element {
  const client = useClient();
  const fieldId = useId();
  const noteId = useId();
  const [token, setToken] = useState("");
  const [isShown, setShown] = useState(false);
  const [isTrying, setTrying] = useState(false);
  // A pairing link or the stored token was refused, and led here.
  const refused = client.server.token.get() === "" ? "" : "The server did not accept this.";
  const [error, setError] = useState(client.pairingFailure || refused);
  const code = client.server.invitation.value;

  const attempt = async (signingIn: Promise<SignInResult>) => {
    setTrying(true);
    const outcome = await signingIn;
    setTrying(false);
    if (outcome === "refused") setError("The server did not accept this.");
    if (outcome === "unreachable") setError("The server cannot be reached. Try again in a moment.");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (token !== "") void attempt(signInWith(client, token.trim()));
  };
  return (
    <main class="sign-in scroll" id="content">
      <form class="sign-in-form auto stack" onSubmit={submit}>
        <div class="sign-in-title stack middle gap-6">
          <Mark lit />
          <h1 class="mt-12 fs-28">Sign in to panewatch</h1>
          <p class="text-2">
            With the code that panewatch phone shows, or the token. It stays in this browser.
          </p>
        </div>
        <label class="label" for={fieldId}>
          Code or token
        </label>
        <Field isWrong={error !== ""}>
          <Icon name="key" />
          <input
            id={fieldId}
            class={`grow token ${isShown ? "" : "masked"}`}
            {...(isShown ? { type: "text" as const } : { type: "password" as const })}
            name="token"
            autocomplete="current-password"
            autocapitalize="off"
            spellcheck={false}
            aria-describedby={noteId}
            aria-invalid={error !== ""}
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
          <IconButton
            icon="eye"
            label="Show token"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        </Field>
        <SignInNote id={noteId} error={error} />
        <Button type="submit" tone="primary" size="block" disabled={isTrying || token === ""}>
          Sign in
        </Button>
        {code !== null && (
          <Button
            size="block"
            disabled={isTrying}
            onClick={() => void attempt(signInHere(client, code))}
          >
            Sign in on this machine
          </Button>
        )}
        <details>
          <summary class="button plain block quiet">Where do I find it?</summary>
          <p class="pad fs-13 text-2">
            On the server’s machine, panewatch phone shows a code that works once, and panewatch
            token the token. Whoever has one of them can type into your terminals.
          </p>
        </details>
      </form>
    </main>
  );
}

/** On the server's own machine no token was needed until one was made: one tap signs such a page in. */
async function signInHere({ server }: Client, code: string) {
  const outcome = await pair(server, code);
  if (outcome === "ok") server.link.start();
  return outcome;
}

/** A code of the page On your phone, such as `K7QF-2M9X`. */
const SHORT_CODE = /^[A-Z2-9]{4}[\s-]?[A-Z2-9]{4}$/i;

async function signInWith(client: Client, text: string) {
  if (!SHORT_CODE.test(text)) return signIn(client.server, text);
  const outcome = await client.pair(text);
  if (outcome === "ok") client.server.link.start();
  // A token may have the form of a code.
  return outcome === "refused" ? signIn(client.server, text) : outcome;
}

function SignInNote({ id, error }: { readonly id: string; readonly error: string }): JSX.Element {
  if (error !== "")
    return (
      <p class="sign-in-note flex gap-6 fs-13 text-error" id={id} role="alert">
        <StatusIcon shape="error" />
        {error}
      </p>
    );
  const isEncrypted = window.location.protocol === "https:";
  return (
    <p class="sign-in-note flex gap-6 fs-13 text-3" id={id}>
      <span class="truncate">{window.location.host}</span>
      {isEncrypted && <Icon name="lock" class="small" />}
      <span class="visually-hidden">{isEncrypted ? "Encrypted connection" : "Not encrypted"}</span>
    </p>
  );
}

/** The versions do not fit together: nothing can be read or sent safely. */
export function Incompatible(): JSX.Element {
  const { config } = useServer();
  const { shell } = useBrowser();
  const version = config.serverVersion.value;
  const theirs = version === "" ? "an unknown version" : `version ${version}`;
  return (
    <main class="sign-in stack middle" id="content">
      <Empty
        level={1}
        mark={<Mark lit />}
        title="This page and the server do not fit together"
        text={`The server is ${theirs}, this page is version ${VERSION}. Reload the page; if that does not help, update the server.`}
      >
        <Button tone="primary" onClick={() => void shell.applyUpdate()}>
          Reload
        </Button>
      </Empty>
    </main>
  );
}

export function Trouble(props: {
  readonly phase: Phase;
  readonly outage: ReturnType<typeof outageOf>;
}): JSX.Element {
  const { phase, outage } = props;
  const today = useToday();
  if (phase === "offline") return <OfflineBanner />;
  if (phase === "killed")
    return (
      <TroubleBanner title="Disconnected from another browser" again="Reconnect" isAlert>
        Someone ended this browser's connection. Nothing is lost.
      </TroubleBanner>
    );
  if (outage !== null) {
    const { provider, isReadOnly, lastSuccessAt, message } = outage;
    const isKnown = !isReadOnly && lastSuccessAt !== 0;
    const title = isReadOnly
      ? `${provider} is shown, answers are off`
      : `${provider} cannot be read`;
    return (
      <TroubleBanner title={title} isAlert>
        {isKnown && `Showing what was known ${atText(lastSuccessAt, today)}. `}
        {message !== "" && <TerminalText text={message} />}
      </TroubleBanner>
    );
  }
  // Shown as long as the page is open, since the reader can act on nothing.
  return (
    <TroubleBanner title="You can look, not act" isGuest>
      This browser signed in with a token for reading.
    </TroubleBanner>
  );
}

function OfflineBanner(): JSX.Element {
  const { browser, server } = useClient();
  const now = browser.clock.now.value;
  const { panes } = server;
  const { socketAt, pollAt } = server.connection.value;
  const next = Math.min(socketAt, pollAt ?? socketAt);
  const seconds = Math.max(0, Math.ceil((next - performance.now()) / 1000));
  return (
    <TroubleBanner title="No connection to the server" again={common.retry}>
      {panes.isLoaded.value &&
        `Showing what was known ${atText(now - panes.ageMs() / 1000, now)}. `}
      {seconds === 0 ? "Trying again now." : `Next try in ${seconds} s.`}
    </TroubleBanner>
  );
}

/** Without `isAlert` screen readers say the title alone, and not each second of the countdown. */
function TroubleBanner(props: {
  readonly title: string;
  /** The label of the button that connects again. */
  readonly again?: string;
  readonly isAlert?: boolean;
  readonly isGuest?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { title, again, isAlert = false, isGuest = false, children } = props;
  const { server } = useClient();
  const Place = isAlert ? "div" : "section";
  return (
    <Place
      class={`banner flex wrap rigid fs-13 round-4 ${isGuest ? "" : "stale"}`}
      role={isAlert ? "alert" : undefined}
      aria-label={isAlert ? undefined : title}
    >
      <Icon name={isGuest ? "eye" : "offline"} />
      <div class="grow numbers">
        <b role={isAlert || isGuest ? undefined : "status"}>{title}</b>
        {children}
      </div>
      {again !== undefined && (
        <Button size="small" onClick={() => server.link.start()}>
          {again}
        </Button>
      )}
    </Place>
  );
}
