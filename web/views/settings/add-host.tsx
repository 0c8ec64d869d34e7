import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { HostStep, HostStepName } from "../../../src/protocol/hosts.ts";
import { nameFor } from "../../model/hosts.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { CheckLine } from "../../ui/item.tsx";
import { timeOfDay } from "../../words/common.ts";
import { Fault, useAct } from "../parts/query-status.tsx";
import { CODE } from "./fields.tsx";
import { ByHand } from "./hosts.tsx";
import { CheckCard } from "./rows.tsx";

/** The server itself gives up after 20 s, and says at which step. */
const CHECK_MS = 25_000;

/** What is tried, in its order: as it is before it was, once it is done, and once it has failed. */
const STEPS: Readonly<Record<HostStepName, readonly [todo: string, done: string, failed: string]>> =
  {
    resolve: ["Address", "Its address is known", "Its address is not known"],
    connect: ["Reached", "Reached", "It cannot be reached"],
    host_key: ["Host key", "Its host key is known", "Its host key is not accepted"],
    sign_in: ["Signed in", "Signed in", "It does not let this server in"],
    shell: ["A shell", "A shell answers", "No shell answers"],
    tmux: ["tmux 3.2 or newer", "tmux", "It needs tmux 3.2 or newer"],
  };
const STEP_NAMES = Object.keys(STEPS) as HostStepName[];

/** How far a connection to one destination came. */
interface Checked {
  readonly ssh: string;
  readonly at: number;
  readonly steps: readonly HostStep[];
}

/** One more machine: what has to work is looked at first, step by step. */
export function AddHost(): JSX.Element {
  const server = useServer();
  const { clock, messages, router } = useBrowser();
  const [ssh, setSsh] = useState("");
  const [ownName, setOwnName] = useState<string | null>(null);
  const [checked, setChecked] = useState<Checked | null>(null);
  const act = useAct();
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const { api } = server;
  const name = ownName ?? nameFor(ssh);
  const isReady = checked?.ssh === ssh && isWhole(checked.steps);
  const check = async () => {
    const { signal } = (asking.current = new AbortController());
    setChecked(null);
    const asked = { json: { ssh }, signal, timeoutMs: CHECK_MS };
    const result = await act.run(() => api.call("POST /api/hosts/check", asked));
    if (result?.ok !== true || signal.aborted) return;
    setChecked({ ssh, at: clock.now.peek(), steps: result.value.steps });
  };
  const add = async () => {
    const here = router.here();
    const result = await act.run(() => api.call("POST /api/hosts", { json: { name, ssh } }));
    if (result?.ok !== true) return;
    await server.link.refresh();
    messages.say(`${name} is watched.`);
    here(() => router.close());
  };
  const isOff = act.isBusy || ssh === "" || !server.can("own");
  return (
    <form
      class="stack gap-6"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff) void (isReady ? add() : check());
      }}
    >
      <TextLine
        label="Name or address, as you would give it to ssh"
        value={ssh}
        onInput={(text) => {
          setSsh(text.trim());
          act.forget();
        }}
      />
      <TextLine label="Called here" value={name} onInput={setOwnName} />
      <span class="item-hint">a to z, 0 to 9 and -</span>
      {act.isBusy && checked === null && <p role="status">Checking</p>}
      {checked !== null && <Tried checked={checked} name={name} />}
      <Fault>{act.fault}</Fault>
      {/* What comes next stands out. */}
      <div class="actions">
        <Button
          tone={isReady ? undefined : "primary"}
          disabled={isOff}
          onClick={() => void check()}
        >
          {checked === null ? "Check" : "Try again"}
        </Button>
        <Button
          tone={isReady ? "primary" : undefined}
          disabled={isOff || !isReady || name === ""}
          onClick={() => void add()}
        >
          {act.isBusy && isReady ? "Adding" : "Add"}
        </Button>
      </div>
    </form>
  );
}

const isWhole = (steps: readonly HostStep[]): boolean =>
  steps.length === STEP_NAMES.length && steps.every(({ ok }) => ok);

const TextLine = (props: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element => (
  <label class="label">
    {props.label}
    <Field class="mt-8 regular">
      <input
        class="grow"
        type="text"
        autocomplete="off"
        autocorrect="off"
        {...CODE}
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </Field>
  </label>
);

function Tried(props: { readonly checked: Checked; readonly name: string }): JSX.Element {
  const { checked, name } = props;
  const { at, ssh, steps } = checked;
  const failed = steps.find(({ ok }) => !ok);
  const isAsked = failed?.step === "host_key" || failed?.step === "sign_in";
  return (
    <CheckCard
      isStatus
      icon="machine"
      title={name}
      hint={`tried ${timeOfDay(at)}`}
      tone={failed === undefined ? "ok" : "error"}
      tag={failed === undefined ? "ready" : "not yet"}
      checks={STEP_NAMES.map((step) => (
        <StepLine key={step} of={step} tried={steps.find((one) => one.step === step)} />
      ))}
    >
      {failed !== undefined && failed.step !== "tmux" && <ByHand ssh={ssh} isAsked={isAsked} />}
    </CheckCard>
  );
}

function StepLine(props: {
  readonly of: HostStepName;
  readonly tried: HostStep | undefined;
}): JSX.Element {
  const [todo, done, failed] = STEPS[props.of];
  const { ok, detail = null, ms = 0 } = props.tried ?? {};
  if (ok === undefined) return <CheckLine state="open">{todo}</CheckLine>;
  // A tmux tells its version; others how long they took, where that is long enough to be felt.
  const figure = detail === null ? ms >= 10 && `, ${ms} ms` : ` ${detail.replace(/^tmux /, "")}`;
  return (
    <CheckLine state={ok ? "done" : "failed"}>
      {ok ? [done, figure] : <b>{failed}</b>}
      {!ok && detail !== null && <small class="mono">{detail}</small>}
    </CheckLine>
  );
}
