/** What a person says of one changed line, kept in this browser until it is sent. */
export interface Remark {
  readonly id: string;
  /** The work tree: a pane may stand in another one by now. */
  readonly top: string;
  readonly path: string;
  readonly side: "old" | "new";
  readonly line: number;
  /** The line as it stood there. */
  readonly text: string;
  readonly words: string;
}

export function isRemark(value: unknown): value is Remark {
  if (typeof value !== "object" || value === null) return false;
  const { id, top, path, side, line, text, words } = value as Record<string, unknown>;
  return (
    [id, top, path, text, words].every((one) => typeof one === "string") &&
    (side === "old" || side === "new") &&
    typeof line === "number"
  );
}
