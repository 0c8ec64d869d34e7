import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Kept, storedMembers } from "../../model/stored.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { PhoneSetup } from "../../state/server/phone.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, type IconName } from "../../ui/icons.tsx";
import { Row } from "../../ui/row.tsx";
import { Section } from "../../ui/section.tsx";

const SAID = {
  phone: { title: "On your phone", text: "Answer from anywhere" },
  alerts: { title: "Alerts", text: "When an agent waits, also while this page is closed" },
  workspace: { title: "Agent workspace", text: "What each agent did while you were away" },
};

const STEPS = ["phone", "alerts", "workspace"] as const;
type Step = (typeof STEPS)[number];
const ICONS: Readonly<Record<Step, IconName>> = {
  phone: "phone",
  alerts: "bell",
  workspace: "robot",
};

/** Which steps were seen done on an earlier visit; `hidden` is all of them. This browser keeps it. */
const keptIn = (storage: Storage) => new Kept(storage, "set-up", storedMembers);

/** What makes panewatch useful away from this screen, until each was done or the list was hidden. */
export function SetUp(): JSX.Element | null {
  const server = useServer();
  const { device, router, storage } = useBrowser();
  const [kept, setKept] = useState(() => Object.keys(keptIn(storage).get()));
  const { workspace } = server;
  const { state } = usePart(PhoneSetup);
  useEffect(() => {
    if (!kept.includes("phone") && !kept.includes("hidden")) void state.reload();
  }, [state]);
  const facts = workspace.facts.value.step;
  const phones = state.value.value?.phones ?? [];
  const done: Readonly<Record<Step, boolean>> = {
    phone: phones.length > 0,
    alerts: device.id.value !== null,
    workspace: facts === "on" || facts === "starting",
  };
  const keep = (names: readonly string[]) =>
    keptIn(storage).set(Object.fromEntries(names.map((name) => [name, true])));
  const doneNow = STEPS.filter((step) => done[step]).join(" ");
  // The tick of a step that was done stands until the next visit.
  useEffect(() => {
    const news = doneNow.split(" ").filter((step) => step !== "" && !kept.includes(step));
    if (news.length > 0) keep([...kept, ...news]);
  }, [doneNow]);
  if (!server.may("own") || kept.includes("hidden")) return null;
  const isThere = (step: Step) =>
    step !== "workspace" || (facts !== "none" && facts !== "unavailable");
  const shown = STEPS.filter((step) => !kept.includes(step) && isThere(step));
  if (shown.length === 0) return null;
  const open: Readonly<Record<Step, () => void>> = {
    phone: () => router.go("#/phone"),
    alerts: () => router.show("settings-phone"),
    workspace: () => router.show("settings-workspace"),
  };
  const hide = () => {
    keep([...kept, "hidden"]);
    setKept([...kept, "hidden"]);
  };
  return (
    <Section
      title="Set up"
      end={
        <Button tone="plain" size="small" onClick={hide}>
          Hide
        </Button>
      }
    >
      <ul class="list set-up">
        {shown.map((step) => (
          <li key={step} class="row-item">
            <Row
              lead={
                <Icon name={done[step] ? "check" : ICONS[step]} class={done[step] ? "done" : ""} />
              }
              title={SAID[step].title}
              second={
                step === "phone" && done.phone
                  ? `Paired as “${phones[0]?.name ?? ""}”`
                  : SAID[step].text
              }
              end={<Icon name="next" class="small" />}
              onClick={open[step]}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}
