import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { SeenMessage } from "../../../src/protocol/tolerant-later.ts";
import { parseProse, type ProseBlock, type ProsePiece } from "../../model/chat/prose.ts";
import { useClient } from "../../state/client.ts";
import { Button, IconButton, StatusIcon, type StatusShape } from "../../ui/button.tsx";
import { timeOfDay } from "../../words/common.ts";
import { copyText, TerminalText, visibleText } from "../parts/text.tsx";
import { momentText } from "../../words/times.ts";

const STATES = {
  submitting: ["working", "Sending"],
  sent: ["ok", "Sent to its terminal"],
  observed: ["ok", "Seen in its log"],
  unknown: ["stale", "Unclear"],
  failed: ["error", "Not sent"],
} as const satisfies Record<SeenMessage["status"], readonly [StatusShape, string]>;

export function Message(props: {
  readonly message: SeenMessage;
  readonly program: string;
  readonly isFound: boolean;
}): JSX.Element {
  const { message, program, isFound } = props;
  const found = isFound ? ({ "aria-current": "location" } as const) : {};
  const isMine = message.role === "user";
  const [shape, state] = STATES[message.status];
  const hasDoubt = message.status === "unknown" || message.status === "failed";
  if (!isMine)
    return (
      <li class={isFound ? "found-message accent-tint" : ""} data-at={message.id} {...found}>
        <p class="flex baseline gap-8 fs-13 text-2">
          <b>{program}</b>
          <time class="fs-12 numbers text-3">{momentText(message.created_at)}</time>
        </p>
        <Prose text={message.content} />
      </li>
    );
  return (
    <li
      class={`mine stack ${hasDoubt ? "unsure" : ""} ${isFound ? "found-message accent-tint" : ""}`}
      {...found}
    >
      <span class="visually-hidden">You</span>
      <div class="bubble accent-tint">
        <Prose text={message.content} />
      </div>
      <p class="flex gap-4 mt-4 fs-12 numbers text-2">
        <StatusIcon shape={shape} />
        {`${state} · ${timeOfDay(message.created_at)}`}
      </p>
    </li>
  );
}

function Prose({ text }: { readonly text: string }): JSX.Element {
  const blocks = useMemo(() => parseProse(text), [text]);
  return (
    <>
      {blocks.map((block, i) =>
        block.kind === "code" ? (
          <Code key={i} block={block} />
        ) : (
          <p key={i} class="message-text untrusted fs-15 prose lines" dir="auto">
            {trimmed(block.pieces).flatMap((piece) =>
              piece.kind === "text" ? (
                visibleText(piece.text)
              ) : piece.kind === "code" ? (
                <TerminalText as="code" text={piece.text} />
              ) : (
                <Link text={piece.text} href={piece.href} />
              ),
            )}
          </p>
        ),
      )}
    </>
  );
}

/** Blank lines before and behind code go: the code has a margin of its own. */
function trimmed(pieces: readonly ProsePiece[]): readonly ProsePiece[] {
  return pieces.map((piece, i) => {
    if (piece.kind !== "text") return piece;
    const begun = i === 0 ? piece.text.replace(/^\s*\n/, "") : piece.text;
    return { ...piece, text: i === pieces.length - 1 ? begun.trimEnd() : begun };
  });
}

/** Scrolls sideways: a wrapped line would read as two commands. */
function Code({ block }: { readonly block: ProseBlock & { kind: "code" } }): JSX.Element {
  const client = useClient();
  const text = block.text.replace(/\n$/, "");
  return (
    <div class="message-code flex start terminal-ground round-2 edge-line">
      <pre class="grow" dir="ltr" tabIndex={0} role="group" aria-label="Code">
        <TerminalText as="code" text={text} dir="ltr" />
      </pre>
      <IconButton
        class="rigid text-2"
        icon="copy"
        label="Copy this code"
        onClick={() => copyText(client, text)}
      />
    </div>
  );
}

/** A tap shows the address, a second one opens it: the text of a link can pretend to lead elsewhere. */
function Link({ text, href }: { readonly text: string; readonly href: string }): JSX.Element {
  const client = useClient();
  const [isOpen, setOpen] = useState(false);
  const leadsTo = `Leads to ${new URL(href).host}`;
  return (
    <>
      {/* Without `href`: a middle click or a drag must not open it either. */}
      <a
        class="message-link text-accent"
        role="button"
        tabIndex={0}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== " ") return;
          event.preventDefault();
          setOpen(!isOpen);
        }}
      >
        <TerminalText text={text} dir="ltr" />
      </a>
      {isOpen && (
        <span
          class="link-target grid gap-6 fs-13 surface round-2 edge-line"
          role="group"
          aria-label={leadsTo}
        >
          <b>{leadsTo}</b>
          <span class="mono anywhere text-2" dir="ltr">
            {href}
          </span>
          <span class="flex wrap gap-8">
            <a class="button" href={href} target="_blank" rel="noopener noreferrer">
              Open in a new tab
            </a>
            <Button onClick={() => copyText(client, href)}>Copy</Button>
          </span>
        </span>
      )}
    </>
  );
}
