import type { JSX } from "preact";
import { programLabel, placeOf, type Pane } from "../../model/pane.ts";
import { visiblePieces } from "../../model/text.ts";
import { useServer } from "../../state/client.ts";
import { memo } from "../../ui/memo.tsx";
import { more } from "../more.tsx";

/** A name, question or label from a terminal. */
export const TerminalText = memo(function TerminalText(props: {
  readonly text: string;
  readonly dir?: "auto" | "ltr";
  readonly class?: string;
}): JSX.Element {
  const { text, ...rest } = props;
  return <Untrusted pieces={visiblePieces(text)} {...rest} />;
});

/** Where a pane is and what runs in it: `api › auth · Claude Code`. */
export function Place({ pane }: { readonly pane: Pane }): JSX.Element {
  const { config, hosts } = useServer();
  const parts = placeOf(pane);
  const program = programLabel(pane, config.labels.value);
  return (
    <span class="place">
      {hosts.value.length > 0 && <more.HostChip pane={pane} />}
      {parts.map((part, i) => (
        <span key={i}>
          {i > 0 && " › "}
          <TerminalText text={part} />
        </span>
      ))}
      {program !== "" && (
        <span>
          {parts.length > 0 && " · "}
          <TerminalText text={program} />
        </span>
      )}
    </span>
  );
}

interface Piece {
  readonly text?: string;
  readonly mark?: string;
}

/** Untrusted text in one direction of its own, with the given hidden marks drawn. */
export function Untrusted(props: {
  readonly pieces: readonly Piece[];
  readonly dir?: "auto" | "ltr";
  readonly class?: string;
}): JSX.Element {
  return (
    <span class={`untrusted ${props.class ?? ""}`} dir={props.dir ?? "auto"}>
      {props.pieces.map((piece, i) =>
        piece.mark === undefined ? (
          piece.text
        ) : (
          <span key={i} class="hidden-mark">
            {piece.mark}
          </span>
        ),
      )}
    </span>
  );
}
