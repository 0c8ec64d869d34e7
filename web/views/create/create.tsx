import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { CreationState } from "../../../src/protocol/creation.ts";
import {
  initialHost,
  machines,
  MAX_FIRST_MESSAGE,
  nameProblem,
  defaultParents,
  requestFor,
  sessionNames,
  splittableOn,
} from "../../model/creation.ts";
import { isAway } from "../../model/filter.ts";
import { kindLetters, placeOf } from "../../model/pane.ts";
import { allowsAnswers } from "../../net/connection.ts";
import { useClient, usePart, useServer } from "../../state/client.ts";
import { Creation } from "../../state/server/creation.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { Field } from "../../ui/field.tsx";
import { ChoiceItem, Item, Radio, Segments } from "../../ui/item.tsx";
import { Section } from "../../ui/list.tsx";
import { shownPaneId } from "../commands/command.ts";
import { useDerived } from "../parts/derived.ts";
import { QueryStatus } from "../parts/query-status.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { CODE } from "../settings/fields.tsx";
import { Directory } from "./directory.tsx";

const TYPES = { session: "Session", window: "Window", pane: "Pane" };
const SPLITS = { side_by_side: "Side by side", stacked: "Stacked" };

export function CreateSheet(): JSX.Element {
  const client = useClient();
  const { connection } = client.server;
  const creation = usePart(Creation);
  const { router } = client.browser;
  const { form, outcome, state } = creation;
  useEffect(() => {
    const { hosts, panes } = client.server;
    const shownId = shownPaneId(client);
    const host = initialHost(panes.all.peek(), hosts.peek(), { shownId, last: form.peek().host });
    void creation.begin(defaultParents(panes.all.peek(), host, shownId));
  }, []);
  const creationState = state.value.value;
  const { step } = outcome.value;
  const isCreating = step === "creating";
  const canCreate = creationState?.enabled === true && requestFor(form.value) !== null;
  const isOff = creationState?.enabled === false;
  const isUp = allowsAnswers(connection.value.phase);
  const create = async () => {
    const request = requestFor(form.peek());
    const here = router.here();
    const created = await creation.create();
    if (created === null) return;
    // A reply means that the pane is listed.
    await client.server.link.refresh();
    here(() => router.close(() => router.goPane(created.pane_id)));
    const message = request?.first_message ?? "";
    if (message === "") return;
    client.browser.messages.say("The first message is typed in when the agent is ready.");
    void creation.reportFirstMessage(created.pane_id, message);
  };
  return (
    <Sheet
      title="New"
      footer={
        !isOff && (
          <>
            {(step === "refused" || step === "uncertain") && (
              <p class="mb-8 fs-13 text-error" role="alert">
                {outcome.value.step === "refused"
                  ? `Not created${outcome.value.reason && `: ${outcome.value.reason}`}`
                  : "Nobody said whether it was created. Look at the list before you try again."}
              </p>
            )}
            <Button
              tone="primary"
              size="block"
              disabled={!canCreate || isCreating || !isUp}
              onClick={() => void create()}
            >
              {isCreating ? "Creating" : `Create ${form.value.type}`}
            </Button>
          </>
        )
      }
    >
      <MachineChoice />
      <QueryStatus
        query={state}
        failed="The server could not say"
        retry={() => void creation.open()}
      />
      {creationState !== null && <CreateForm state={creationState} />}
    </Sheet>
  );
}

function CreateForm({ state }: { readonly state: CreationState }): JSX.Element {
  const creation = usePart(Creation);
  const { type, runtime, message, name } = creation.form.value;
  if (!state.enabled)
    return <Empty title="Nothing can be created now" text={state.reason} isBrief />;
  const problem = nameProblem(name);
  return (
    <>
      <Segments
        label="What to create"
        options={TYPES}
        chosen={type}
        onChoose={(value) => creation.set({ type: value })}
      />
      <ParentChoice />
      <Directory state={state} />
      <RuntimeChoice runtimes={state.runtimes} />
      {runtime !== "shell" && (
        <Section kind="sheet" title="First message" end={<span>optional</span>}>
          <textarea
            class="text-box grows full"
            dir="auto"
            maxLength={MAX_FIRST_MESSAGE}
            aria-label="First message"
            aria-describedby="create-message-hint"
            value={message}
            onInput={(event) => creation.set({ message: event.currentTarget.value })}
          />
          <p id="create-message-hint" class="page-text">
            Typed in as soon as the agent is ready for it.
          </p>
        </Section>
      )}
      {type !== "pane" && (
        <Section kind="sheet" title="Name" end={<span>optional</span>}>
          <Field isWrong={problem !== null}>
            <input
              class="grow mono"
              type="text"
              autocomplete="off"
              {...CODE}
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
            {problem ?? "Letters, digits, _ and -. Left empty, the directory name is used."}
          </p>
        </Section>
      )}
    </>
  );
}

function MachineChoice(): JSX.Element | null {
  const client = useClient();
  const { hosts, panes } = client.server;
  const creation = usePart(Creation);
  const { host } = creation.form.value;
  const all = machines(hosts.value);
  const chosen = all.find(({ kind, name }) => (kind === "local" ? null : name) === host);
  const isLive = chosen?.status === "live";
  useEffect(() => {
    // The machine was away when the server was asked what can be created.
    if (isLive && creation.state.value.peek()?.enabled === false) void creation.open();
  }, [isLive]);
  if (all.length < 2) return null;
  const choose = (name: string) => {
    const isHere = all.some((one) => one.kind === "local" && one.name === name);
    const next = isHere ? null : name;
    void creation.begin(defaultParents(panes.all.peek(), next, shownPaneId(client)));
  };
  return (
    <div class="set">
      <ChoiceItem
        label="Machine"
        options={Object.fromEntries(
          all.map((one) => [one.name, isAway(one) ? `${one.name} · away` : one.name]),
        )}
        chosen={chosen?.name ?? ""}
        onChoose={choose}
      />
    </div>
  );
}

/** The session of a new window, or the pane to split and how. */
function ParentChoice(): JSX.Element | null {
  const { panes } = useServer();
  const creation = usePart(Creation);
  const { host, type, session, paneId, split, sizePercent } = creation.form.value;
  const isSplit = type === "pane";
  const options = useDerived(
    () =>
      isSplit
        ? splittableOn(panes.all.value, host).map((pane) => [
            pane.id,
            [pane.name, ...placeOf(pane)].join(" · "),
          ])
        : sessionNames(panes.all.value, host).map((name) => [name, name]),
    [host, isSplit],
  );
  if (type === "session") return null;
  if (options.length === 0)
    return (
      <p class="page-text">
        {isSplit ? "There is no pane to split." : "There is no session yet. Create one first."}
      </p>
    );
  const choice = (
    <ChoiceItem
      label={isSplit ? "Pane to split" : "In session"}
      options={Object.fromEntries(options)}
      chosen={(isSplit ? paneId : session) ?? ""}
      onChoose={(id) => creation.set(isSplit ? { paneId: id } : { session: id })}
    />
  );
  if (!isSplit) return <div class="set create-parent">{choice}</div>;
  return (
    <Section kind="sheet" title="Split">
      <div class="set">
        {choice}
        <div class="item">
          <Segments
            class="grow"
            label="Direction"
            options={SPLITS}
            chosen={split}
            onChoose={(value) => creation.set({ split: value })}
          />
        </div>
        <Item label="New pane gets">
          <input
            type="range"
            class="create-size tap"
            {...{ min: 10, max: 90, step: 5 }}
            aria-label="New pane gets"
            aria-valuetext={`${sizePercent}%`}
            value={sizePercent}
            onInput={(event) => creation.set({ sizePercent: Number(event.currentTarget.value) })}
          />
          <b class="create-percent to-end numbers">{sizePercent}%</b>
        </Item>
      </div>
    </Section>
  );
}

function RuntimeChoice(props: { readonly runtimes: CreationState["runtimes"] }): JSX.Element {
  const creation = usePart(Creation);
  const chosen = creation.form.value.runtime;
  const usable = props.runtimes.filter(({ available }) => available);
  return (
    <Section kind="sheet" title="Run">
      <div class="runtimes grid gap-8" role="radiogroup" aria-label="Run">
        {usable.map(({ id, label }) => (
          <label key={id} class="runtime stack relative gap-6 fs-13 fill round-3">
            <Radio
              name="runtime"
              isChosen={id === chosen}
              onChoose={() => creation.set({ runtime: id })}
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
