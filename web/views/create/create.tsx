import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CreationState } from "../../../src/protocol/creation.ts";
import { MAX_FIRST_MESSAGE } from "../../model/creation.ts";
import { firstHost, nameProblem, parentsOn, requestFor } from "../../model/creation.ts";
import { kindLetters } from "../../model/pane.ts";
import { useClient, usePart } from "../../state/client.ts";
import { Creation } from "../../state/server/creation.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/segments.tsx";
import { common } from "../../words/common.ts";
import { create as words } from "../../words/create.ts";
import { shownPaneId } from "../commands/command.ts";
import { Directory } from "./directory.tsx";
import { Machine } from "./machine.tsx";
import { tellFate } from "./first-messages.ts";
import { ParentPane, ParentSession } from "./parent.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { Section } from "../../ui/section.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Field } from "../../ui/field.tsx";
import { Empty } from "../../ui/empty.tsx";
import { sentenceOf } from "../../net/api.ts";

const TYPES = ["session", "window", "pane"] as const;

/** A new session, window or pane inside the roots that the server allows. */
export function CreateSheet(): JSX.Element {
  const client = useClient();
  const { connection } = client.server;
  const creation = usePart(Creation);
  const { router } = client.browser;
  const { wanted, outcome, state } = creation;
  useEffect(() => {
    const { hosts, panes } = client.server;
    const shownId = shownPaneId(client);
    const host = firstHost(panes.all.peek(), hosts.peek(), { shownId, last: wanted.peek().host });
    void creation.begin(parentsOn(panes.all.peek(), host, shownId));
  }, []);
  const known = state.value.value;
  const isCreating = outcome.value.step === "creating";
  const canCreate = known?.enabled === true && requestFor(wanted.value) !== null;
  const isOff = known?.enabled === false;
  const isUp = connection.value.phase === "live" || connection.value.phase === "rest";
  const create = async () => {
    const request = requestFor(wanted.peek());
    const made = await creation.create();
    if (made === null) return;
    await client.server.awaitPane(made.pane_id);
    router.close(() => router.goPane(made.pane_id));
    const message = request?.first_message ?? "";
    if (message === "") return;
    client.browser.messages.say("The first message is typed in when the agent is ready.");
    void tellFate(client, made.pane_id, message);
  };
  return (
    <Sheet
      title="New"
      footer={
        !isOff && (
          <>
            <Outcome />
            <Button
              tone="primary"
              size="block"
              disabled={!canCreate || isCreating || !isUp}
              onClick={() => void create()}
            >
              {isCreating ? "Creating" : words.create[wanted.value.type]}
            </Button>
          </>
        )
      }
    >
      <Machine />
      <Form state={known} />
    </Sheet>
  );
}

function Form({ state }: { readonly state: CreationState | null }): JSX.Element {
  const creation = usePart(Creation);
  const failure = creation.state.failure.value;
  const { type, runtime } = creation.wanted.value;
  if (failure !== null)
    return (
      <Notice
        tone="error"
        isAlert
        actions={<Button onClick={() => void creation.open()}>{common.retry}</Button>}
      >
        {words.failedToAsk(sentenceOf(failure))}
      </Notice>
    );
  if (state === null)
    return (
      <p class="page-text" role="status">
        Loading
      </p>
    );
  if (!state.enabled)
    return <Empty title="Nothing can be created now" text={state.reason} isBrief />;
  return (
    <>
      <Segments
        label="What to create"
        options={TYPES.map((value) => ({ value, label: words.types[value] }))}
        chosen={type}
        onChoose={(value) => creation.set({ type: value })}
      />
      {type === "window" && <ParentSession />}
      {type === "pane" && (
        <ParentPane runtime={state.runtimes.find(({ id }) => id === runtime)?.label ?? ""} />
      )}
      <Directory state={state} />
      <Runtimes runtimes={state.runtimes} />
      {runtime !== "shell" && <FirstMessage />}
      {type !== "pane" && <Name />}
    </>
  );
}

function Runtimes(props: { readonly runtimes: CreationState["runtimes"] }): JSX.Element {
  const creation = usePart(Creation);
  const chosen = creation.wanted.value.runtime;
  const usable = props.runtimes.filter(({ available }) => available);
  return (
    <Section kind="sheet" title="Run">
      <div class="runtimes grid gap-8" role="radiogroup" aria-label="Run">
        {usable.map(({ id, label }) => (
          <label
            key={id}
            class={`runtime stack relative gap-6 fs-13 fill round-3 ${id === chosen ? "on" : ""}`}
          >
            <input
              type="radio"
              name="runtime"
              class="visually-hidden"
              checked={id === chosen}
              onChange={() => creation.set({ runtime: id })}
            />
            <span class="tile small" aria-hidden="true">
              {kindLetters(id, label)}
            </span>
            <span>{label}</span>
          </label>
        ))}
      </div>
    </Section>
  );
}

function FirstMessage(): JSX.Element {
  const creation = usePart(Creation);
  return (
    <Section kind="sheet" title="First message" end={<span>optional</span>}>
      <Field isEdged>
        <textarea
          class="grow"
          rows={3}
          dir="auto"
          maxLength={MAX_FIRST_MESSAGE}
          aria-label="First message"
          aria-describedby="create-message-hint"
          value={creation.wanted.value.message}
          onInput={(event) => creation.set({ message: event.currentTarget.value })}
        />
      </Field>
      <p id="create-message-hint" class="page-text">
        Typed in as soon as the agent is ready for it.
      </p>
    </Section>
  );
}

function Name(): JSX.Element {
  const creation = usePart(Creation);
  const { name } = creation.wanted.value;
  const problem = nameProblem(name);
  return (
    <Section kind="sheet" title="Name" end={<span>optional</span>}>
      <Field isEdged isWrong={problem !== null}>
        <input
          class="grow mono"
          type="text"
          dir="ltr"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-label="Name"
          aria-describedby="create-name-hint"
          aria-invalid={problem !== null}
          value={name}
          onInput={(event) => creation.set({ name: event.currentTarget.value })}
        />
      </Field>
      <p
        id="create-name-hint"
        class={`page-text ${problem === null ? "" : "wrong"}`}
        role={problem === null ? undefined : "alert"}
      >
        {problem === null
          ? "Letters, digits, _ and -. Left empty, the directory name is used."
          : words.nameProblem[problem]}
      </p>
    </Section>
  );
}

function Outcome(): JSX.Element | null {
  const outcome = usePart(Creation).outcome.value;
  if (outcome.step !== "failed" && outcome.step !== "uncertain") return null;
  return (
    <p class="create-failure fs-13 text-error" role="alert">
      {outcome.step === "failed"
        ? words.failed(outcome.reason)
        : "The connection dropped. It may have been created: look at the list before you try again."}
    </p>
  );
}
