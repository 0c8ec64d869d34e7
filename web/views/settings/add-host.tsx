import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { HostStep, HostStepName } from "../../../src/protocol/hosts.ts";
import { nameFor, remedyOf } from "../../model/hosts.ts";
import { reasonOf, type Failure } from "../../net/api.ts";
import { HostsApi } from "../../net/hosts-api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Tag } from "../../ui/tag.tsx";
import { hosts as words } from "../../words/hosts.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { Fault } from "./rows.tsx";

/** In the order in which they are tried. */
const STEPS: readonly HostStepName[] = [
  "resolve",
  "connect",
  "host_key",
  "sign_in",
  "shell",
  "tmux",
];

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
  const [step, setStep] = useState<"writing" | "checking" | "adding">("writing");
  const [checked, setChecked] = useState<Checked | null>(null);
  const [fault, setFault] = useState("");
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const api = new HostsApi(server.api);
  const name = ownName ?? nameFor(ssh);
  const isReady = checked?.ssh === ssh && isWhole(checked.steps);
  const fail = (failure: Failure) => {
    setStep("writing");
    setFault(failure.kind === "lost" ? words.lost : words.notDone(reasonOf(failure)));
  };
  const check = async () => {
    const controller = new AbortController();
    asking.current = controller;
    setStep("checking");
    setFault("");
    setChecked(null);
    const result = await api.check(ssh, controller.signal);
    if (controller.signal.aborted) return;
    if (!result.ok) return fail(result.failure);
    setStep("writing");
    setChecked({ ssh, at: clock.now.peek(), steps: result.value.steps });
  };
  const add = async () => {
    setStep("adding");
    setFault("");
    const result = await api.add(name, ssh);
    if (!result.ok) return fail(result.failure);
    await server.link.refresh();
    messages.say(words.added(name));
    router.close();
  };
  const isOff = step !== "writing" || ssh === "" || !server.can("own");
  return (
    <form
      class="host-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff) void (isReady ? add() : check());
      }}
    >
      <TextLine
        label={words.destination}
        value={ssh}
        onInput={(text) => {
          setSsh(text.trim());
          setFault("");
        }}
      />
      <TextLine label={words.name} hint={words.nameHint} value={name} onInput={setOwnName} />
      {step === "checking" && <p role="status">{words.checking}</p>}
      {checked !== null && <CheckCard checked={checked} name={name} />}
      {fault !== "" && <Fault>{fault}</Fault>}
      <div class="actions">
        <Button {...toneOf(!isReady)} disabled={isOff} onClick={() => void check()}>
          {checked === null ? words.check : words.again}
        </Button>
        <Button
          {...toneOf(isReady)}
          disabled={isOff || !isReady || name === ""}
          onClick={() => void add()}
        >
          {step === "adding" ? words.adding : words.addIt}
        </Button>
      </div>
    </form>
  );
}

/** What comes next stands out. */
const toneOf = (isNext: boolean) => (isNext ? { tone: "primary" as const } : {});

const isWhole = (steps: readonly HostStep[]): boolean =>
  steps.length === STEPS.length && steps.every(({ ok }) => ok);

function TextLine(props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  const { label, hint, value, onInput } = props;
  const id = useId();
  return (
    <>
      <label class="label" for={id}>
        {label}
      </label>
      <Field isEdged>
        <input
          id={id}
          class="grow"
          type="text"
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          autocorrect="off"
          spellcheck={false}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      </Field>
      {hint !== undefined && <span class="item-hint">{hint}</span>}
    </>
  );
}

function CheckCard(props: { readonly checked: Checked; readonly name: string }): JSX.Element {
  const { checked, name } = props;
  const failed = checked.steps.find(({ ok }) => !ok);
  return (
    <div class="device-card" role="status">
      <div class="device-head">
        <Icon name="machine" />
        <div class="grow">
          <strong>{name}</strong>
          <span class="item-hint">{words.triedAt(checked.at)}</span>
        </div>
        <Tag tone={failed === undefined ? "ok" : "error"}>
          {failed === undefined ? words.ready : words.notYet}
        </Tag>
      </div>
      <ul class="checks">
        {STEPS.map((step) => (
          <StepLine key={step} of={step} tried={checked.steps.find((one) => one.step === step)} />
        ))}
      </ul>
      {failed !== undefined && <Remedy of={failed.step} ssh={checked.ssh} />}
    </div>
  );
}

function StepLine(props: {
  readonly of: HostStepName;
  readonly tried: HostStep | undefined;
}): JSX.Element {
  const { of, tried } = props;
  const said = words.steps[of];
  if (tried === undefined)
    return (
      <li class="open">
        <StatusIcon shape="idle" label={words.notTried} />
        <span>{said.todo}</span>
      </li>
    );
  if (!tried.ok)
    return (
      <li class="failed">
        <StatusIcon shape="error" label={words.failed} />
        <span>
          <strong>{said.failed}</strong>
          {tried.detail !== null && <small class="mono">{tried.detail}</small>}
        </span>
      </li>
    );
  return (
    <li class="done">
      <StatusIcon shape="ok" label={words.done} />
      <span>{words.stepDone(said.done, tried)}</span>
    </li>
  );
}

/** The steps at which ssh asks a person something. */
const ASKING: ReadonlySet<HostStepName> = new Set(["host_key", "sign_in"]);

function Remedy(props: { readonly of: HostStepName; readonly ssh: string }): JSX.Element | null {
  const { of, ssh } = props;
  if (of === "tmux") return null;
  const isAsked = ASKING.has(of);
  return (
    <div class="fix">
      <h3>{isAsked ? words.byHand : words.tryByHand}</h3>
      {isAsked ? words.byHandText : words.tryByHandText}
      <CopyLines text={remedyOf(ssh)} label={words.copy} />
    </div>
  );
}
