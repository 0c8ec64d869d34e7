import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { CheckHostReply, HostStep, HostStepName } from "../../../src/protocol/hosts.ts";
import { nameFor, remedyOf } from "../../model/hosts.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { Tag } from "../../ui/tag.tsx";
import { timeOfDay } from "../../words/common.ts";
import { useAct } from "../parts/act.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { Fault } from "./rows.tsx";
import { promised } from "../../net/api.ts";

/** The server itself gives up after 20 s, and says at which step. */
const CHECK_MS = 25_000;

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
  const [checked, setChecked] = useState<Checked | null>(null);
  const checking = useAct();
  const adding = useAct();
  const asking = useRef<AbortController | null>(null);
  useEffect(() => () => asking.current?.abort(), []);
  const { api } = server;
  const name = ownName ?? nameFor(ssh);
  const isReady = checked?.ssh === ssh && isWhole(checked.steps);
  const check = async () => {
    const controller = new AbortController();
    asking.current = controller;
    setChecked(null);
    const result = await checking.run(() =>
      api.call("POST /api/hosts/check", {
        ...{ json: { ssh }, signal: controller.signal, timeoutMs: CHECK_MS },
        read: promised<CheckHostReply>,
      }),
    );
    if (result?.ok !== true || controller.signal.aborted) return;
    setChecked({ ssh, at: clock.now.peek(), steps: result.value.steps });
  };
  const add = async () => {
    const result = await adding.run(() => api.call("POST /api/hosts", { json: { name, ssh } }));
    if (result?.ok !== true) return;
    await server.link.refresh();
    messages.say(`${name} is watched.`);
    router.close();
  };
  const fault = checking.fault || adding.fault;
  const isBusy = checking.isBusy || adding.isBusy;
  const isOff = isBusy || ssh === "" || !server.can("own");
  return (
    <form
      class="host-form grid gap-6"
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
          checking.forget();
          adding.forget();
        }}
      />
      <TextLine label="Called here" hint="a to z, 0 to 9 and -" value={name} onInput={setOwnName} />
      {checking.isBusy && <p role="status">Checking</p>}
      {checked !== null && <CheckCard checked={checked} name={name} />}
      {fault !== "" && <Fault>{fault}</Fault>}
      <div class="actions">
        <Button {...toneOf(!isReady)} disabled={isOff} onClick={() => void check()}>
          {checked === null ? "Check" : "Try again"}
        </Button>
        <Button
          {...toneOf(isReady)}
          disabled={isOff || !isReady || name === ""}
          onClick={() => void add()}
        >
          {adding.isBusy ? "Adding" : "Add"}
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
      <div class="device-head flex gap-12">
        <Icon name="machine" />
        <div class="grow">
          <strong>{name}</strong>
          <span class="item-hint">{`tried ${timeOfDay(checked.at)}`}</span>
        </div>
        <Tag tone={failed === undefined ? "ok" : "error"}>
          {failed === undefined ? "ready" : "not yet"}
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
  const said = SAYINGS[of];
  if (tried === undefined)
    return (
      <li class="open">
        <StatusIcon shape="idle" label="Not tried" />
        <span>{said.todo}</span>
      </li>
    );
  if (!tried.ok)
    return (
      <li class="failed">
        <StatusIcon shape="error" label="Failed" />
        <span>
          <strong>{said.failed}</strong>
          {tried.detail !== null && <small class="mono">{tried.detail}</small>}
        </span>
      </li>
    );
  return (
    <li class="done">
      <StatusIcon shape="ok" label="Done" />
      <span>{stepDoneText(said.done, tried)}</span>
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
    <div class="fix rule text-2 fs-13">
      <h3>{isAsked ? "Connect once by hand" : "Try it on the server"}</h3>
      {isAsked
        ? "panewatch never accepts a key by itself. On the server, run this, and answer what ssh asks:"
        : "It tells more than panewatch is told:"}
      <CopyLines text={remedyOf(ssh)} label="Copy the command" />
    </div>
  );
}

/** A tmux tells its version; others how long they took, where that is long enough to be felt. */
const stepDoneText = (
  done: string,
  { detail, ms }: { readonly detail: string | null; readonly ms: number },
) => done + (detail !== null ? ` ${detail.replace(/^tmux /, "")}` : ms < 10 ? "" : `, ${ms} ms`);

const SAYINGS = {
  resolve: { todo: "Address", done: "Its address is known", failed: "Its address is not known" },
  connect: { todo: "Reached", done: "Reached", failed: "It cannot be reached" },
  host_key: {
    todo: "Host key",
    done: "Its host key is known",
    failed: "Its host key is not accepted",
  },
  sign_in: { todo: "Signed in", done: "Signed in", failed: "It does not let this server in" },
  shell: { todo: "A shell", done: "A shell answers", failed: "No shell answers" },
  tmux: { todo: "tmux 3.2 or newer", done: "tmux", failed: "It needs tmux 3.2 or newer" },
};
