import { effect, untracked } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { PickSender } from "../../state/server/pick-sender.ts";
import type { SendProgress } from "../../state/server/picks.ts";
import { useBrowser, usePart, useServer } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Segments } from "../../ui/item.tsx";
import { KeyCaps } from "../parts/key-caps.tsx";

export function PickSwitch(): JSX.Element {
  const { isWanted } = useServer().picks;
  return (
    <Segments
      label="What a tap does"
      options={{ now: "Answer now", pick: "Collect answers" }}
      chosen={isWanted.value ? "pick" : "now"}
      onChoose={(value) => {
        isWanted.value = value === "pick";
      }}
    />
  );
}

export function PickBar(): JSX.Element {
  const { canAnswer, panes, picks } = useServer();
  const sender = usePart(PickSender);
  const { layout, router, touch } = useBrowser();
  const sending = picks.sending.value;
  const n = sender.ready.value.length;
  const send = () => {
    const [first = ""] = sender.ready.peek();
    touch.shield();
    document
      .querySelector(`.scroll [data-pane="${CSS.escape(first)}"]`)
      ?.scrollIntoView({ block: "start" });
    void sender.send();
  };
  useEffect(
    () =>
      effect(() => {
        void panes.all.value;
        untracked(() => sender.settle());
      }),
    [sender],
  );
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target, key, metaKey, ctrlKey } = event;
      const isWriting = target instanceof Element && target.matches("input, textarea");
      if (key !== "Enter" || !(metaKey || ctrlKey) || event.altKey || event.repeat) return;
      if (isWriting || router.sheet.peek() !== null || sender.ready.peek().length === 0) return;
      event.preventDefault();
      send();
    };
    window.addEventListener("keydown", onKeyDown, true);
    return () => window.removeEventListener("keydown", onKeyDown, true);
  }, []);
  return (
    <footer class="collect-bar grid rigid gap-8 ground rule">
      <p class="fs-13 text-2 centred numbers" role="status">
        {sending === null ? chosen(n) : progress(sending)}
      </p>
      {picks.isSending.value ? (
        <Button class="whole" onClick={() => sender.stop()}>
          Stop after this one
        </Button>
      ) : (
        <>
          <Button disabled={n === 0} onClick={() => (picks.all.value = new Map())}>
            Clear
          </Button>
          <Button tone="primary" disabled={n === 0 || !canAnswer.value} onClick={send}>
            <span class="numbers">{n === 0 ? "Send" : `Send ${n}`}</span>
            {layout.columns.value === 3 && n > 0 && <KeyCaps keys="mod Enter" />}
          </Button>
        </>
      )}
    </footer>
  );
}

const chosen = (n: number): string => (n === 0 ? "Nothing chosen." : `${n} chosen`);

function progress({ sent, unclear, done, of, isOver }: SendProgress): string {
  if (!isOver) return `Sending ${done + 1} of ${of}`;
  const unsent = of - sent - unclear;
  return [
    `${sent} sent`,
    ...(unsent > 0 ? [`${unsent} not`] : []),
    ...(unclear > 0 ? [`${unclear} unclear`] : []),
  ].join(", ");
}
