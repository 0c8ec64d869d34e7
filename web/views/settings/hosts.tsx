import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { HostStep, HostStepName } from "../../../src/protocol/hosts.ts";
import { isAway, nameFor, remedyOf, type Host } from "../../model/hosts.ts";
import { type Api, type Result } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { CheckLine } from "../../ui/check.tsx";
import { Field } from "../../ui/field.tsx";
import { Icon } from "../../ui/icons.tsx";
import { SwitchItem } from "../../ui/item.tsx";
import { Tag } from "../../ui/tag.tsx";
import { count, timeOfDay } from "../../words/common.ts";
import { REASONS, RetryHost, useNextTry } from "../hosts/hosts.tsx";
import { useAct } from "../parts/act.ts";
import { CopyLines } from "../parts/copy-lines.tsx";
import { Fix } from "./alerts.tsx";
import { CODE, Fault, Group, Twice } from "./rows.tsx";

/** Figures of a link come with no frame of their own. */
const LOOK_MS = 5000;
/** The server itself gives up after 20 s, and says at which step. */
const CHECK_MS = 25_000;

/** The machines that are watched, how each stands, and the way to one more. */
export function HostsSettings(): JSX.Element {
  const server = useServer();
  const { config, hosts } = server;
  const { router } = useBrowser();
  useFigures();
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
        <Group title="Watched" whose="everyone">
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

/** The list anew, for as long as it is seen. */
function useFigures(): void {
  const server = useServer();
  const { presence } = useBrowser();
  const isThere = server.hosts.value.length > 0 && presence.attention.value === "visible";
  useEffect(() => {
    if (!isThere) return;
    const asking = new AbortController();
    const look = async () => {
      const result = await server.api.call("GET /api/hosts", {
        ...{ signal: asking.signal },
      });
      if (result.ok && !asking.signal.aborted) server.takeHosts(result.value.hosts);
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => {
      clearInterval(timer);
      asking.abort();
    };
  }, [isThere]);
}

const joined = (parts: readonly (string | false | null)[], by: string) =>
  parts.filter(Boolean).join(by);

function HostRow({ host }: { readonly host: Host }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const next = useNextTry(host);
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
        <span class={`item-hint ${isAway(host) ? "stale" : ""}`}>{standing(host, next)}</span>
      </span>
    </>
  );
  if (kind === "local") return <div class="item">{parts}</div>;
  // Only a person can bring this one back: what to do is not hidden behind a tap.
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
          {isAway(host) && <ByHand ssh={ssh ?? ""} isAsked={host.retry_at === null} />}
          {isOpen && <HostActs host={host} />}
        </div>
      )}
    </div>
  );
}

function standing(host: Host, next: string): string {
  const { status, since, reason, round_trip_ms: trip } = host;
  if (isAway(host))
    return joined(["Away since", `${timeOfDay(since)}.`, REASONS[reason ?? "unknown"], next], " ");
  if (status === "off") return "not watched";
  if (status === "connecting") return "Connecting";
  const figures = trip !== null && `${Math.round(trip)} ms round trip`;
  return joined([figures, since !== 0 && `since ${timeOfDay(since)}`], ", ");
}

/** The one command that tells more, or that mends what ssh asks a person about. */
function ByHand(props: { readonly ssh: string; readonly isAsked: boolean }): JSX.Element {
  return (
    <Fix title={props.isAsked ? "Connect once by hand" : "Try it on the server"}>
      {props.isAsked
        ? "panewatch never accepts a key by itself. On the server, run this, and answer what ssh asks:"
        : "It tells more than panewatch is told:"}
      <CopyLines text={remedyOf(props.ssh)} label="Copy the command" />
    </Fix>
  );
}

/** Switched off it is kept and not asked; removed it is gone after a second word. */
function HostActs({ host: { name, watch } }: { readonly host: Host }): JSX.Element {
  const server = useServer();
  const act = useAct();
  const path = { name };
  const run = (ask: (api: Api) => Promise<Result<unknown>>) =>
    act.run(async () => {
      const result = await ask(server.api);
      await server.link.refresh();
      return result;
    });
  const isOff = act.isBusy || !server.can("own");
  return (
    <>
      <SwitchItem
        label="Watch it"
        isOn={watch}
        disabled={isOff}
        onChange={(on) =>
          void run((api) => api.call("PATCH /api/hosts/:name", { path, json: { watch: on } }))
        }
      />
      <Twice
        label="Remove"
        sure="Remove it"
        text="Its panes go from every list. Names and stars are kept."
        isOff={isOff}
        onSure={() => run((api) => api.call("DELETE /api/hosts/:name", { path }))}
      />
      <Fault>{act.fault}</Fault>
    </>
  );
}

/** In the order in which they are tried. */
const STEPS: readonly HostStepName[] = [
  "resolve",
  "connect",
  "host_key",
  "sign_in",
  "shell",
  "tmux",
];

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
    const { signal } = (asking.current = new AbortController());
    setChecked(null);
    const result = await checking.run(() =>
      api.call("POST /api/hosts/check", {
        ...{ json: { ssh }, signal, timeoutMs: CHECK_MS },
      }),
    );
    if (result?.ok !== true || signal.aborted) return;
    setChecked({ ssh, at: clock.now.peek(), steps: result.value.steps });
  };
  const add = async () => {
    const result = await adding.run(() => api.call("POST /api/hosts", { json: { name, ssh } }));
    if (result?.ok !== true) return;
    await server.link.refresh();
    messages.say(`${name} is watched.`);
    router.close();
  };
  const isOff = checking.isBusy || adding.isBusy || ssh === "" || !server.can("own");
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
      <Fault>{checking.fault || adding.fault}</Fault>
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
          {adding.isBusy ? "Adding" : "Add"}
        </Button>
      </div>
    </form>
  );
}

const isWhole = (steps: readonly HostStep[]): boolean =>
  steps.length === STEPS.length && steps.every(({ ok }) => ok);

function TextLine(props: {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onInput: (text: string) => void;
}): JSX.Element {
  const { label, hint, value, onInput } = props;
  return (
    <>
      <label class="label">
        {label}
        <Field isEdged class="mt-8 regular">
          <input
            class="grow"
            type="text"
            autocomplete="off"
            autocorrect="off"
            {...CODE}
            value={value}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
        </Field>
      </label>
      {hint !== undefined && <span class="item-hint">{hint}</span>}
    </>
  );
}

function CheckCard(props: { readonly checked: Checked; readonly name: string }): JSX.Element {
  const { checked, name } = props;
  const failed = checked.steps.find(({ ok }) => !ok);
  const isAsked = failed?.step === "host_key" || failed?.step === "sign_in";
  return (
    <div class="device-card grid gap-12 mb-12 fill round-3" role="status">
      <div class="device-head flex gap-12">
        <Icon name="machine" />
        <div class="grow">
          <b>{name}</b>
          <span class="item-hint">{`tried ${timeOfDay(checked.at)}`}</span>
        </div>
        <Tag tone={failed === undefined ? "ok" : "error"}>
          {failed === undefined ? "ready" : "not yet"}
        </Tag>
      </div>
      <ul class="checks grid">
        {STEPS.map((step) => (
          <StepLine key={step} of={step} tried={checked.steps.find((one) => one.step === step)} />
        ))}
      </ul>
      {failed !== undefined && failed.step !== "tmux" && (
        <ByHand ssh={checked.ssh} isAsked={isAsked} />
      )}
    </div>
  );
}

function StepLine(props: {
  readonly of: HostStepName;
  readonly tried: HostStep | undefined;
}): JSX.Element {
  const { todo, done, failed } = SAYINGS[props.of];
  if (props.tried === undefined) return <CheckLine state="open">{todo}</CheckLine>;
  const { ok, detail, ms } = props.tried;
  if (!ok)
    return (
      <CheckLine state="failed">
        <b>{failed}</b>
        {detail !== null && <small class="mono">{detail}</small>}
      </CheckLine>
    );
  // A tmux tells its version; others how long they took, where that is long enough to be felt.
  const figure = detail === null ? ms >= 10 && `, ${ms} ms` : ` ${detail.replace(/^tmux /, "")}`;
  return <CheckLine state="done">{[done, figure]}</CheckLine>;
}
