import type { JSX } from "preact";

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
