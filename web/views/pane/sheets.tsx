import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { withMute, activeMutes, tomorrowMorning } from "../../model/notifications.ts";
import { appearanceOf, programLabel, type Pane } from "../../model/pane.ts";
import { ignoreGone } from "../../net/api.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Settings, withOverride } from "../../state/server/settings.ts";
import { Notifications } from "../../state/server/notifications.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { RadioItem } from "../../ui/item.tsx";
import { timeOfDay } from "../../words/common.ts";
import { AgentFacts } from "../agents/facts.tsx";
import { useWorkspace } from "../agents/use.ts";
import { faultOf } from "../parts/query-status.tsx";
import { ContextBar } from "../parts/facts.tsx";
import { Confirm, Sheet } from "../parts/sheet.tsx";
import { TerminalText } from "../parts/text.tsx";
import { SavingNote } from "../settings/fields.tsx";
import { PaneFacts } from "./card.tsx";

const HOUR_SECONDS = 3600;
const MAX_NAME = 80;

interface About {
  readonly pane: Pane;
}

export function PaneDetails({ pane }: About): JSX.Element {
  const agentId = useServer().agentIn(pane);
  const agent = useWorkspace()?.agentRow(agentId) ?? null;
  return (
    <Sheet title="Pane details">
      <ContextBar pane={pane} agent={agent} from={0} />
      {agentId !== null && <AgentFacts id={agentId} />}
      <PaneFacts pane={pane} />
    </Sheet>
  );
}

export function ClosePaneSheet({ pane }: About): JSX.Element {
  const { api, config, link } = useServer();
  const { messages, router } = useBrowser();
  const [isOff, setOff] = useState(false);
  const close = async () => {
    setOff(true);
    const here = router.here();
    const result = ignoreGone(await api.call("POST /api/mux/close", { json: { id: pane.id } }));
    here(() => router.close());
    if (!result.ok)
      messages.alert(
        faultOf(
          "The pane was not closed",
          result.failure,
          "Nobody said whether the pane was closed.",
        ),
      );
    void link.refresh();
  };
  const program = programLabel(pane, config.labels.value) || pane.command;
  return (
    <Confirm
      title="Close pane"
      act={{ label: "Close pane", onPress: () => void close(), isOff }}
      keepLabel="Keep it"
    >
      <p class="page-text">
        <TerminalText text={`${program} in “${pane.name}” ends with it.`} />
        {appearanceOf(pane) === "working" && " It is working."}
      </p>
    </Confirm>
  );
}

/** The name is shown at once, and taken back when the server does not save it. */
export function RenameSheet({ pane }: About): JSX.Element {
  const { panes } = useServer();
  const settings = usePart(Settings);
  const { messages, router } = useBrowser();
  const field = useRef<HTMLInputElement>(null);
  const overrides = settings.shown("overrides") ?? [];
  const own = overrides.find(({ target }) => target === pane.target)?.name ?? "";
  const [name, setName] = useState(own === "" ? pane.name : own);
  const save = async (next: string) => {
    router.close();
    const saved = panes.overlay(pane.id, next === "" ? {} : { name: next });
    const result = await settings.change("overrides", (all) =>
      withOverride(all, pane.target, { name: next }),
    );
    saved(result.ok);
    if (!result.ok) messages.alert("The name could not be saved.");
  };
  return (
    <Sheet title="Rename" initialFocus={field}>
      <form
        class="rename"
        onSubmit={(event) => {
          event.preventDefault();
          void save(name.trim());
        }}
      >
        <label class="label">
          Name
          <Field class="mt-8 regular">
            <input
              ref={field}
              class="grow"
              type="text"
              dir="auto"
              maxLength={MAX_NAME}
              value={name}
              onFocus={(event) => event.currentTarget.select()}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </Field>
        </label>
        <div class="actions">
          <Button disabled={own === ""} onClick={() => void save("")}>
            Automatic name
          </Button>
          <Button type="submit" tone="primary" disabled={name.trim() === ""}>
            Save
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

export function MuteSheet({ pane }: About): JSX.Element {
  const notifications = usePart(Notifications);
  const { clock } = useBrowser();
  useEffect(() => void notifications.load(), [notifications]);
  const { own, preferences } = notifications;
  const now = clock.now.value;
  const mutes = activeMutes(preferences.shown("muted") ?? [], now);
  const muted = mutes.find(({ target }) => target === pane.target);
  const anHour = now + HOUR_SECONDS;
  const isUntil = (from: number, to: number) =>
    muted !== undefined && muted.until !== null && muted.until > from && muted.until <= to;
  const choices = [
    { label: "Not muted", until: "not", isChosen: muted === undefined },
    { label: "For one hour", until: anHour, isChosen: isUntil(now, anHour) },
    {
      ...{ label: "Until tomorrow", until: tomorrowMorning(now) },
      isChosen: isUntil(anHour, tomorrowMorning(now)),
    },
    { label: "Until I change it", until: null, isChosen: muted?.until === null },
  ] as const;
  return (
    <Sheet title={`Mute ${pane.name}`}>
      <p class="page-text">
        {own.value === null
          ? "Switch notifications on for this device first, in Settings."
          : "No alert of this pane reaches this device. It still shows in the Queue."}
      </p>
      {own.value !== null && (
        <div class="set" role="radiogroup" aria-label="Mute alerts">
          {choices.map(({ label, until, isChosen }) => (
            <RadioItem
              key={label}
              name="mute"
              {...{ label, isChosen }}
              onChoose={() =>
                void preferences.change("muted", (all) =>
                  withMute(activeMutes(all, now), pane.target, until),
                )
              }
            >
              <span class="item-value numbers">
                {until === anHour && "until "}
                {typeof until === "number" && timeOfDay(until)}
              </span>
            </RadioItem>
          ))}
          <SavingNote of={preferences} name="muted" />
        </div>
      )}
    </Sheet>
  );
}
