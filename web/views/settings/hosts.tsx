import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { HostStep, HostStepName } from "../../../src/protocol/hosts.ts";
import { type Host, isAway, nameFor, remedyOf } from "../../model/hosts.ts";
import type { Result } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { StatusLine, SwitchItem } from "../../ui/item.tsx";
import { Tag } from "../../ui/heading.tsx";
import { REASONS, RetryHost, useNextTry } from "../hosts/hosts.tsx";
import { useToday } from "../parts/derived.ts";
import { CopyLines } from "../parts/lines.tsx";
import { Fault, useAct, usePolling } from "../parts/query-status.tsx";
import { CODE } from "./fields.tsx";
import { CheckCard, ConfirmInPlace, Fix, Group } from "./rows.tsx";
import { count, timeOfDay } from "../../words/common.ts";
import { momentText } from "../../words/times.ts";

/** Round trips are in no frame of the socket, so they are polled. */
const LOOK_MS = 5000;

export function HostsSettings(): JSX.Element {
  const server = useServer();
  const { config, hosts } = server;
  const { router } = useBrowser();
  usePolling(hosts.value.length > 0, LOOK_MS, async (signal) => {
    const result = await server.api.call("GET /api/hosts", { signal });
    if (result.ok && !signal.aborted) server.takeHosts(result.value.hosts);
  });
  const ability = config.current.value?._info.capabilities.hosts_v1;
  if (ability?.enabled !== true)
    return (
      <p class="page-text">{ability?.reason ?? "This server watches its own machine only."}</p>
    );
  return (
    <>
      {hosts.value.length === 0 ? (
        <p class="page-text">
          panewatch watches the machine it runs on. Add others to see their panes in the same lists.
        </p>
      ) : (
        <Group title="Watched" audience="everyone">
          {hosts.value.map((host) => (
            <HostRow key={host.name} host={host} />
          ))}
        </Group>
      )}
      <Button
        size="block"
        disabled={!server.can("own")}
        onClick={() => router.show("settings-add-host", null, "above")}
      >
        <Icon name="plus" class="small" />
        Add a machine
      </Button>
      <p class="page-text">
        Machines are reached with this server’s own ssh, its keys and its configuration. Nothing is
        installed there. One that is away keeps its last screens and holds up no other. Agent
        sessions and changes of files are read on this server only.
      </p>
    </>
  );
}

const joined = (parts: readonly (string | false | null)[], by: string) =>
  parts.filter(Boolean).join(by);

function HostRow({ host }: { readonly host: Host }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const next = useNextTry(host);
  const today = useToday();
  const { kind, name, status, version, ssh, detail, panes } = host;
  const parts = (
    <>
      <Icon name="machine" />
      <span class="grow">
        <b>{name}</b>
        {kind === "local" && <Tag>this server</Tag>}
        {status === "off" && <Tag>off</Tag>}
        <span class="item-hint">
          {joined(
            [
              status !== "off" && count(panes, "pane", "panes"),
              version && `tmux ${version}`,
              ssh && `ssh ${ssh}`,
            ],
            " · ",
          )}
        </span>
        <span class={`item-hint ${isAway(host) ? "stale" : ""}`}>
          {stateText(host, next, today)}
        </span>
      </span>
    </>
  );
  if (kind === "local") return <div class="item">{parts}</div>;
  // Only a person can bring it back: the remedy is not hidden behind a tap.
  const isStuck = status === "away" && host.retry_at === null;
  return (
    <div>
      <div class="host-line flex">
        <button type="button" class="item" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {parts}
          <Icon name={isOpen ? "up" : "down"} class="small" />
        </button>
        {isAway(host) && <RetryHost host={host} />}
      </div>
      {(isOpen || isStuck) && (
        <div class="host-more">
          {isAway(host) && detail !== null && <p class="item-hint mono">{detail}</p>}
          {isAway(host) && <ManualFix ssh={ssh ?? ""} needsPerson={host.retry_at === null} />}
          {isOpen && <HostActs host={host} />}
        </div>
      )}
    </div>
  );
}

function stateText(host: Host, next: string, today: number): string {
  const { status, since, reason, round_trip_ms: trip } = host;
  if (isAway(host))
    return `Away since ${momentText(since, today)}. ${joined([REASONS[reason ?? "unknown"], `Next try ${next}.`], " ")}`;
  if (status === "off") return "not watched";
  if (status === "connecting") return "Connecting";
  const figures = trip !== null && `${Math.round(trip)} ms round trip`;
  return joined([figures, since !== 0 && `since ${momentText(since, today)}`], ", ");
}

/** The ssh command that answers what ssh asks a person, or that shows more of the error. */
function ManualFix(props: { readonly ssh: string; readonly needsPerson: boolean }): JSX.Element {
  return (
    <Fix title={props.needsPerson ? "Connect once by hand" : "Try it on the server"}>
      {props.needsPerson
        ? "panewatch never accepts a key by itself. On the server, run this, and answer what ssh asks:"
        : "It tells more than panewatch is told:"}
      <CopyLines text={remedyOf(props.ssh)} />
    </Fix>
  );
}

/** A machine that is switched off stays listed; a removed one does not. */
function HostActs({ host: { name, watch } }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const act = useAct();
  const path = { name };
  const run = async (request: Promise<Result<unknown>>) => {
    const result = await request;
    await server.link.refresh();
    return result;
  };
  const isOff = act.isBusy || !server.can("own");
  return (
    <>
      <SwitchItem
        label="Watch it"
        isOn={watch}
        disabled={isOff}
        onChange={(on) =>
          void act.run(() =>
            run(server.api.call("PATCH /api/hosts/:name", { path, json: { watch: on } })),
          )
        }
      />
      <Fault>{act.fault}</Fault>
      <ConfirmInPlace
        label="Remove"
        sure="Remove it"
        text="Its panes go from every list. Names and stars are kept."
        notDone="Not removed"
        isOff={isOff}
        onSure={() => run(server.api.call("DELETE /api/hosts/:name", { path }))}
      />
    </>
  );
}

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
