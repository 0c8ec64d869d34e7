import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ResumeState } from "../../../src/protocol/creation.ts";
import { SHIELD_MS } from "../../model/guard.ts";
import { reasonOf } from "../../net/api.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";

const cannot = (reason: string) =>
  `It cannot be resumed from here${reason === "" ? "" : `: ${reason}`}.`;

const LOOK_MS = 8000;

type Step =
  | { readonly at: "offer" | "looking" | "starting" }
  | { readonly at: "shown"; readonly cwd: string; readonly sinceMs: number }
  | { readonly at: "refused"; readonly why: string };

/** Takes up a session that has ended: where and whether is shown first, and a second tap does it. */
export function Resume({ id }: { readonly id: string }): JSX.Element {
  const server = useServer();
  const { clock, router } = useBrowser();
  const [step, setStep] = useState<Step>({ at: "offer" });
  const { api } = server;
  const look = async () => {
    setStep({ at: "looking" });
    const result = await api.call("GET /api/mux/resume", {
      ...{ query: { agent_id: id }, timeoutMs: LOOK_MS },
    });
    if (result.ok) return setStep(shownOf(result.value, clock.monotonicMs()));
    setStep({ at: "refused", why: cannot(reasonOf(result.failure)) });
  };
  const start = async (sinceMs: number) => {
    // The second half of a double tap was meant for the button that stood there.
    if (clock.monotonicMs() - sinceMs < SHIELD_MS) return;
    setStep({ at: "starting" });
    const result = await api.call("POST /api/mux/resume", {
      ...{ json: { agent_id: id } },
    });
    if (!result.ok) {
      const isLost = result.failure.kind === "lost";
      const why = isLost
        ? "The server could not be reached: it may have been started. Look at All first."
        : cannot(reasonOf(result.failure));
      return setStep({ at: "refused", why });
    }
    await server.awaitPane(result.value.pane_id);
    router.goPane(result.value.pane_id);
  };
  if (step.at === "refused") return <p role="alert">{step.why}</p>;
  if (step.at !== "shown")
    return (
      <div class="actions">
        <Button disabled={step.at !== "offer"} onClick={() => void look()}>
          {step.at === "starting" ? "Starting" : "Resume in a new pane"}
        </Button>
      </div>
    );
  return (
    <>
      <p role="status">
        Runs this command in a new tmux session, in {step.cwd}. If the session still runs somewhere
        else, end it there first.
      </p>
      <div class="actions">
        <Button tone="primary" onClick={() => void start(step.sinceMs)}>
          Start it
        </Button>
        <Button tone="plain" onClick={() => setStep({ at: "offer" })}>
          Not now
        </Button>
      </div>
    </>
  );
}

function shownOf({ cwd, reason }: ResumeState, sinceMs: number): Step {
  if (reason !== null || cwd === null) return { at: "refused", why: cannot(reason ?? "") };
  return { at: "shown", cwd, sinceMs };
}
