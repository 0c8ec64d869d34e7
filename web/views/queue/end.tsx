import type { JSX, RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RoutineQuestion as Question } from "../../../src/protocol/acts.ts";
import type { Slot } from "../../model/queue.ts";
import { StoredValue, parseMembers, type KeyValueStorage } from "../../model/stored.ts";
import { useBrowser, useClient, usePart, useServer } from "../../state/client.ts";
import { PhoneSetup } from "../../state/server/sign-in.ts";
import { Queries } from "../../state/server/queries.ts";
import { Button, Icon } from "../../ui/button.tsx";
import { Row, Section } from "../../ui/list.tsx";
import { count as plural } from "../../words/common.ts";
import { dayWithin } from "../../words/times.ts";
import { useToday } from "../parts/derived.ts";
import { copyText, TerminalText } from "../parts/text.tsx";

/** Names of the steps that were done at an earlier visit, or `hidden`, in this browser. */
const keptIn = (storage: KeyValueStorage) => new StoredValue(storage, "set-up", parseMembers);

/** Shown until each step was done or the list was hidden. */
export function SetUp(): JSX.Element | null {
  const server = useServer();
  const { device, router, storage } = useBrowser();
  const [kept, setKept] = useState(() => Object.keys(keptIn(storage).get()));
  const { state } = usePart(PhoneSetup);
  useEffect(() => {
    if (!kept.includes("phone") && !kept.includes("hidden")) void state.reload();
  }, [state]);
  const { step } = server.workspace.facts.value;
  const [phone] = state.value.value?.phones ?? [];
  const steps = [
    {
      name: "phone",
      icon: "phone",
      title: "On your phone",
      isDone: phone !== undefined,
      text: phone ? `Paired as “${phone.name}”` : "Answer from anywhere",
      open: () => router.go("#/phone"),
    },
    {
      name: "alerts",
      icon: "bell",
      title: "Alerts",
      isDone: device.id.value !== null,
      text: "When an agent waits, also while this page is closed",
      open: () => router.show("settings-phone"),
    },
    {
      name: "workspace",
      icon: "robot",
      title: "Agent workspace",
      isDone: step === "on" || step === "starting",
      text: "What each agent did while you were away",
      open: () => router.show("settings-workspace"),
    },
  ] as const;
  const keep = (names: readonly string[]) =>
    keptIn(storage).set(Object.fromEntries(names.map((name) => [name, true])));
  const open = steps.filter(({ name }) => !kept.includes(name));
  const news = open.flatMap(({ name, isDone }) => (isDone ? name : [])).join(" ");
  // The tick of a step that was done stands until the next visit.
  useEffect(() => {
    if (news !== "") keep([...kept, ...news.split(" ")]);
  }, [news]);
  const hasWorkspace = step !== "none" && step !== "unavailable";
  const shown = open.filter(({ name }) => name !== "workspace" || hasWorkspace);
  if (!server.may("own") || kept.includes("hidden") || shown.length === 0) return null;
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
        {shown.map(({ name, icon, isDone, title, text, open }) => (
          <li key={name} class="row-item">
            <Row
              lead={<Icon name={isDone ? "check" : icon} class={isDone ? "text-ok" : ""} />}
              title={title}
              second={text}
              end={<Icon name="next" class="small" />}
              onClick={open}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Questions that were always allowed, each with the setting of its agent that would allow it for good. */
export function AlwaysAllowed(): JSX.Element | null {
  const { config } = useServer();
  const { query: ask } = usePart(Queries);
  const query = ask("GET /api/answered");
  const isThere = config.has("answered_v1");
  // Loaded each time the queue is opened: nothing in it is urgent.
  useEffect(() => {
    if (isThere) void query.reload();
  }, [query, isThere]);
  const questions = query.value.value?.questions ?? [];
  if (questions.length === 0) return null;
  return (
    <Section title="Always allowed" count={questions.length}>
      <ul class="always-allowed gutter mb-12 surface round-3 edge-line ruled">
        {questions.map((question) => (
          <QuestionRow key={question.id} question={question} />
        ))}
      </ul>
    </Section>
  );
}

function QuestionRow({ question }: { readonly question: Question }): JSX.Element {
  const { command, count, folder, id, setting, since } = question;
  const client = useClient();
  const { query } = usePart(Queries);
  const today = useToday();
  const putAway = async () => {
    const { api } = client.server;
    const { ok } = await api.call("POST /api/answered/hide", { json: { id } });
    if (!ok) return client.browser.messages.alert("It could not be put away. Try again.");
    const { value } = query("GET /api/answered");
    const questions = value.value?.questions.filter((one) => one.id !== id) ?? [];
    value.value = { questions };
  };
  return (
    <li class="grid gap-6 fs-13 prose text-2">
      <TerminalText as="code" class="fs-15 mono anywhere text-1" text={command} dir="ltr" />
      <p>
        {`Allowed ${plural(count, "time", "times")} from here since ${dayWithin(since, today)}, never refused.`}
      </p>
      <p>
        <TerminalText as="code" class="mono anywhere" text={setting.rule} dir="ltr" /> in{" "}
        <code class="mono">permissions.allow</code> of{" "}
        <TerminalText
          as="code"
          class="mono anywhere"
          text={`${folder}/${setting.file}`}
          dir="ltr"
        />{" "}
        would allow exactly this command there, and nothing else.
      </p>
      <div class="actions">
        <Button onClick={() => copyText(client, JSON.stringify(setting.rule))}>Copy setting</Button>
        {client.server.may("type") && (
          <Button tone="plain" onClick={() => void putAway()}>
            Not this one
          </Button>
        )}
      </div>
    </li>
  );
}

/** A button that counts cards which came below the screen, and scrolls to the first. */
export function Arrivals(props: {
  readonly slots: readonly Slot[];
  readonly scroller: { current: HTMLElement | null };
}): JSX.Element | null {
  const { slots, scroller } = props;
  const { touch } = useBrowser();
  const [seen, setSeen] = useState<ReadonlySet<string> | null>(null);
  const ids = slots.map(({ card }) => card.key);
  const fresh = seen === null ? [] : ids.filter((id) => !seen.has(id));
  useEffect(() => {
    if (seen === null && ids.length > 0) setSeen(new Set(ids));
  }, [ids.length]);
  useEffect(() => {
    const area = scroller.current;
    if (area === null || fresh.length === 0) return;
    const observer = new IntersectionObserver(
      (entries) => {
        const arrived = entries.filter((entry) => entry.isIntersecting);
        const visible = arrived.map((entry) => entry.target.getAttribute("data-card") ?? "");
        if (visible.length > 0) setSeen((before) => new Set([...(before ?? []), ...visible]));
      },
      { root: area, threshold: 0.2 },
    );
    for (const id of fresh) {
      const card = area.querySelector(`[data-card="${CSS.escape(id)}"]`);
      if (card !== null) observer.observe(card);
    }
    return () => observer.disconnect();
  }, [fresh.join(" ")]);
  if (fresh.length === 0) return null;
  const show = () => {
    const card = scroller.current?.querySelector(`[data-card="${CSS.escape(fresh[0] ?? "")}"]`);
    touch.shield();
    card?.scrollIntoView({ block: "start" });
    setSeen(new Set(ids));
  };
  return (
    <button type="button" class="floating arrivals inline gap-6 fs-13 bold" onClick={show}>
      <Icon name="down" class="text-accent" />
      {`${fresh.length} new`}
    </button>
  );
}

const PULL_PX = 72;

/** Pulling the queue down from its top orders it again, and asks the server. */
export function Pull({ area }: { readonly area: RefObject<HTMLElement | null> }) {
  const { link, queue } = useServer();
  const { touch } = useBrowser();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const element = area.current;
    if (element === null) return;
    const ends = new AbortController();
    const how = { passive: true, signal: ends.signal };
    let startY: number | null = null;
    let ready = false;
    const set = (next: boolean) => {
      if (next !== ready) setReady(next);
      ready = next;
    };
    const end = () => {
      if (ready) {
        touch.shield();
        queue.enter();
        void link.refresh();
      }
      startY = null;
      set(false);
    };
    const listen = (name: "touchstart" | "touchmove", hear: (y: number | null) => void) =>
      element.addEventListener(
        name,
        ({ touches }) => hear(touches.length === 1 ? (touches[0]?.clientY ?? null) : null),
        how,
      );
    listen("touchstart", (y) => (startY = element.scrollTop <= 0 ? y : null));
    listen("touchmove", (y) => {
      if (startY === null) return;
      if (element.scrollTop > 0) startY = null;
      set(startY !== null && (y ?? startY) - startY > PULL_PX);
    });
    element.addEventListener("touchend", end, how);
    element.addEventListener("touchcancel", end, how);
    return () => ends.abort();
  }, []);
  if (!isReady) return null;
  return (
    <p class="pulled flex middle gap-6 fs-13 text-2 ground" aria-hidden="true">
      <Icon name="refresh" class="small" />
      Let go to order again
    </p>
  );
}
