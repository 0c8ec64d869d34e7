import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { HostStep, HostStepName } from "../../../src/protocol/hosts.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { StatusLine } from "../../ui/item.tsx";
import { Fault, useAct } from "../parts/query-status.tsx";
import { timeOfDay } from "../../words/common.ts";
import { CODE } from "./fields.tsx";
import { ManualFix } from "./hosts.tsx";
import { CheckCard } from "./rows.tsx";

/** The server itself gives up after 20 s, and says at which step. */
const CHECK_MS = 25_000;

/** The steps of a check in their order, with their texts. */
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

interface HostCheck {
  readonly ssh: string;
  readonly at: number;
  readonly steps: readonly HostStep[];
}

/** A machine can be added once all steps of its check succeed. */
export function AddHost(): JSX.Element {
  const server = useServer();
  const { clock, messages, router } = useBrowser();
  const [ssh, setSsh] = useState("");
  const [ownName, setOwnName] = useState<string | null>(null);
  const [last, setLast] = useState<HostCheck | null>(null);
  const act = useAct();
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const { api } = server;
  const name = ownName ?? nameFor(ssh);
  // Of the address in the field: that of another one says nothing about it.
  const checked = last?.ssh === ssh ? last : null;
  const isReady = checked !== null && isWhole(checked.steps);
  const check = async () => {
    const { signal } = (asking.current = new AbortController());
    setLast(null);
    const request = { json: { ssh }, signal, timeoutMs: CHECK_MS };
    const result = await act.run(() => api.call("POST /api/hosts/check", request));
    if (result?.ok !== true || signal.aborted) return;
    setLast({ ssh, at: clock.now.peek(), steps: result.value.steps });
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
      {checked !== null && <CheckResult check={checked} name={name} />}
      <Fault>{act.fault}</Fault>
      {/* The next step is the primary button. */}
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

export const nameFor = (destination: string): string =>
  destination
    .replace(/^ssh:\/\//, "")
    .replace(/^.*@/, "")
    .replace(/:\d+$/, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 32);

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

function CheckResult(props: { readonly check: HostCheck; readonly name: string }): JSX.Element {
  const { check, name } = props;
  const { at, ssh, steps } = check;
  const failed = steps.find(({ ok }) => !ok);
  const needsPerson = failed?.step === "host_key" || failed?.step === "sign_in";
  return (
    <CheckCard
      role="status"
      icon="machine"
      title={name}
      hint={`tried ${timeOfDay(at)}`}
      tone={failed === undefined ? "ok" : "error"}
      tag={failed === undefined ? "ready" : "not yet"}
      checks={STEP_NAMES.map((step) => (
        <StepLine key={step} of={step} result={steps.find((one) => one.step === step)} />
      ))}
    >
      {failed !== undefined && failed.step !== "tmux" && <ManualFix {...{ ssh, needsPerson }} />}
    </CheckCard>
  );
}

function StepLine(props: {
  readonly of: HostStepName;
  readonly result: HostStep | undefined;
}): JSX.Element {
  const [todo, done, failed] = STEPS[props.of];
  const { ok, detail = null, ms = 0 } = props.result ?? {};
  if (ok === undefined)
    return (
      <StatusLine as="li" state="open">
        {todo}
      </StatusLine>
    );
  // tmux gives its version, other steps their duration where it can be felt.
  const figure = detail === null ? ms >= 10 && `, ${ms} ms` : ` ${detail.replace(/^tmux /, "")}`;
  return (
    <StatusLine as="li" state={ok ? "done" : "failed"}>
      {ok ? [done, figure] : <b>{failed}</b>}
      {!ok && detail !== null && <small class="mono">{detail}</small>}
    </StatusLine>
  );
}
