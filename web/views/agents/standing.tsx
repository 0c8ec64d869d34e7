import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { keptUntil, lastSeenAt, resumeCommand, standingOf } from "../../model/binding.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import { reasonOf } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { CopyLines } from "../parts/copy-lines.tsx";
import { useToday } from "../parts/derived.ts";
import { dayOf, momentText } from "../../words/times.ts";

interface About {
  readonly agent: SeenAgent;
}

/** Where a session stands with panes, as long as its own is not certain; and the way on. */
export function StandingNotice({ agent }: About): JSX.Element | null {
  const { router } = useBrowser();
  switch (standingOf(agent)) {
    case "linked":
      return null;
    case "over":
      return <Over agent={agent} />;
    case "unknown":
      return (
        <Frame tone="stale" icon={<Icon name="lock" />} title="No pane is known for it">
          <p>
            No pane that runs now could be its own: it may run elsewhere, or have ended. You can
            read here but not answer or write.
          </p>
        </Frame>
      );
    case "open":
      return (
        <Frame tone="stale" icon={<Icon name="link" />} title="Which pane is it?">
          <p>{whyOpen(agent)} Until you choose, you can read here but not answer or write.</p>
          <div class="actions">
            <Button tone="primary" aria-haspopup="dialog" onClick={() => router.show("agent-pane")}>
              Choose the pane
            </Button>
          </div>
        </Frame>
      );
  }
}

function whyOpen({ association, binding_candidates: { length } }: SeenAgent): string {
  if (association === "unavailable") return "Its pane was unlinked.";
  return length === 1
    ? "One pane could be its own, but nothing proves it."
    : `${length} panes could be its own, and nothing says which.`;
}

function Over({ agent }: About): JSX.Element {
  const today = useToday();
  const { config } = useServer();
  const days = config.current.value?._info.capabilities.agent_context_v1.retention_days ?? 0;
  const at = lastSeenAt(agent);
  const command = resumeCommand(agent);
  const title = `Offline since ${momentText(at, today)}`;
  return (
    <Frame tone="quiet" icon={<StatusIcon shape="offline" />} title={title}>
      <p>
        {days > 0 && `What it said last is kept until ${dayOf(keptUntil(agent, days))}.`}{" "}
        {command !== null && "To go on, run this in its folder:"}
      </p>
      {command !== null && <CopyLines text={command} label="Copy the command" />}
      {command !== null && config.has("session_resume_v1") && (
        <Resume key={agent.id} id={agent.id} />
      )}
    </Frame>
  );
}

function Frame(props: {
  readonly tone: "stale" | "quiet";
  readonly icon: JSX.Element;
  readonly title: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { tone, icon, title, children } = props;
  return (
    <section class={`standing ${tone} flex start gap-12 fs-15 prose fill round-4`}>
      {icon}
      <div class="grow">
        <h2 class="fs-15 bold">{title}</h2>
        {children}
      </div>
    </section>
  );
}

const LOOK_MS = 8000;

const cannot = (reason: string) =>
  `It cannot be resumed from here${reason === "" ? "" : `: ${reason}`}.`;

/** Takes up a session that has ended: where and whether is shown first, and a second tap does it. */
function Resume({ id }: { readonly id: string }): JSX.Element {
  const server = useServer();
  const { clock, router } = useBrowser();
  const [doing, setDoing] = useState<"looking" | "starting" | null>(null);
  const [offer, setOffer] = useState<{ readonly cwd: string; readonly at: number } | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const { api } = server;
  const look = async () => {
    setDoing("looking");
    const result = await api.call("GET /api/mux/resume", {
      query: { agent_id: id },
      timeoutMs: LOOK_MS,
    });
    setDoing(null);
    if (!result.ok) return setRefused(cannot(reasonOf(result.failure)));
    const { cwd, reason } = result.value;
    if (reason !== null || cwd === null) setRefused(cannot(reason ?? ""));
    else setOffer({ cwd, at: clock.monotonicMs() });
  };
  const start = async (shownAt: number) => {
    // The second half of a double tap was meant for the button that stood there.
    if (clock.monotonicMs() - shownAt < SHIELD_MS) return;
    setDoing("starting");
    setOffer(null);
    const result = await api.call("POST /api/mux/resume", {
      json: { agent_id: id },
    });
    if (!result.ok)
      return setRefused(
        result.failure.kind === "lost"
          ? "The server could not be reached: it may have been started. Look at All first."
          : cannot(reasonOf(result.failure)),
      );
    await server.awaitPane(result.value.pane_id);
    router.goPane(result.value.pane_id);
  };
  if (refused !== null) return <p role="alert">{refused}</p>;
  if (offer === null)
    return (
      <div class="actions">
        <Button disabled={doing !== null} onClick={() => void look()}>
          {doing === "starting" ? "Starting" : "Resume in a new pane"}
        </Button>
      </div>
    );
  return (
    <>
      <p role="status">
        Runs this command in a new tmux session, in {offer.cwd}. If the session still runs somewhere
        else, end it there first.
      </p>
      <div class="actions">
        <Button tone="primary" onClick={() => void start(offer.at)}>
          Start it
        </Button>
        <Button tone="plain" onClick={() => setOffer(null)}>
          Not now
        </Button>
      </div>
    </>
  );
}
