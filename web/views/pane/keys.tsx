import type { JSX } from "preact";
import { takesInput, type Pane } from "../../model/pane.ts";
import { useBrowser, useServer } from "../../state/client.ts";
import { stripNames } from "../parts/key-caps.tsx";
import { notSent } from "../../words/refusals.ts";
import { usePress, useSteadyPrompt, type Steady } from "../answer/press.ts";

const PROMPTED = "Not sent: the prompt changed.";
const MOVED = "Not sent: the screen has just changed. Press it again.";

/** Named keys, only those that the server allows for this pane. */
export function Keys({ pane }: { readonly pane: Pane }): JSX.Element | null {
  const server = useServer();
  const { config, outbox } = server;
  const { preferences } = useBrowser();
  const steady = useSteadyPrompt(pane);
  const allowed = new Set(config.allowedKeys.value);
  const keys = preferences.current.value.keys.filter(
    (key) => pane.capabilities.keys.includes(key) && (allowed.size === 0 || allowed.has(key)),
  );
  if (keys.length === 0 || !server.may("type")) return null;
  const isOff = !takesInput(pane) || !server.can("type") || outbox.isDoubted(pane.id);
  return (
    <div
      class="keys flex scrolls-x gap-6"
      role="toolbar"
      aria-label="Keys"
      tabIndex={isOff ? 0 : undefined}
    >
      {keys.map((key) => (
        <Key key={key} name={key} pane={pane} steady={steady} isOff={isOff} />
      ))}
    </div>
  );
}

function Key(props: {
  readonly name: string;
  readonly pane: Pane;
  readonly steady: Steady;
  readonly isOff: boolean;
}): JSX.Element {
  const { name, pane, steady, isOff } = props;
  const { acts } = useServer();
  const { messages } = useBrowser();
  const [label, spoken] = stripNames(name);
  const send = (shown: Pane, pressedAt: number) => {
    const press = { shown, pressedAt, steadySince: steady.since() };
    void acts.key(press, name).then((outcome) => {
      if (outcome?.step === "uncertain")
        messages.alert("It may not have arrived. Look at the terminal.");
      else if (outcome?.step === "changed") messages.alert(outcome.isMoved ? MOVED : PROMPTED);
      else if (outcome?.step === "refused") messages.alert(notSent(outcome.reason));
    });
  };
  const press = usePress(() => pane, send);
  return (
    <button
      type="button"
      class={`key relative rigid center fs-13 round-2 fill ${label.length > 2 ? "wide" : ""} ${name === "C-c" ? "hot" : ""}`}
      aria-label={spoken}
      disabled={isOff}
      data-key={name}
      {...press}
    >
      {label}
    </button>
  );
}
