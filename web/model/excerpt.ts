import type { Pane } from "./pane.ts";

const MAX_CAPTURED_LINES = 6;
const MAX_TOPIC = 40;

/**
 * The lines to show beside the question: the evidence that the server tells (`pane_facts_v1`), else
 * up to six captured lines above the question. For an error the lines of its preview.
 */
export function excerptOf(pane: Pane): readonly string[] {
  if (pane.evidence.length > 0) return trimBlank(pane.evidence);
  if (pane.question === null) return pane.preview.map(stripFrame).filter((line) => line !== "");
  return lastScreenLines(pane.lines.slice(0, questionIndex(pane.lines, pane.question)));
}

/** Standard sentences of programs that name neither the command nor the file. */
const OWN_SENTENCE =
  /^(Do you want to (proceed|make this edit|create|overwrite)\b|Would you like to (run the following command|make the following edits)|Allow execution of \[|Apply (this change|changes)\?|(Permission required|Action Required)$)/;

/** Whether the evidence says what is asked, and the question only that something is. */
export const evidenceAsks = ({ question, evidence }: Pane): boolean =>
  evidence.length > 0 && OWN_SENTENCE.test(question ?? "");

const TAB = /^\s*[☐☒☑□]\s+([^\s☐☒☑□✔][^☐☒☑□✔]*?)\s*$/u;

/** A counter of questions, as programs draw it. */
const NUMBERED = /^\s*Question \d+( of |\/)\d+\b(?! ?:)/;

/**
 * The title of the tab above a question (`☐ Database`), and the evidence without it and without a
 * counter of questions.
 */
export function topicOf(all: readonly string[]): {
  readonly topic: string | null;
  readonly evidence: readonly string[];
} {
  const lines = trimBlank(NUMBERED.test(all.at(-1) ?? "") ? all.slice(0, -1) : all);
  const topic = TAB.exec(lines.at(-1) ?? "")?.[1] ?? null;
  if (topic === null || topic.length > MAX_TOPIC) return { topic: null, evidence: lines };
  return { topic, evidence: trimBlank(lines.slice(0, -1)) };
}

/** The command or file of a prompt, and the other lines. */
interface AboutLines {
  readonly kind: "command" | "file";
  /** The whole command; for a file what is done to it. */
  readonly lines: readonly string[];
  readonly added: number | null;
  readonly removed: number | null;
  readonly rest: readonly string[];
}

const LABEL = "Bash command";
/** Of Claude Code: a tip, over a few lines of a narrow pane, that ends in "below". */
const OWN_LINES = /^\s*Tip: [^]*?\bbelow$|^\s*This command requires approval$/gm;
const isLine = (line: string) => line.trim() !== "";

/**
 * Splits the lines of a prompt into its command or file and the rest, dropping only the program's
 * own label. Null where no split is safe, as where the end of the command is not certain.
 */
export function aboutLines({ about, cut }: Pane, lines: readonly string[]): AboutLines | null {
  if (about?.kind === "command") return commandLines(about.text, lines);
  if (about?.kind !== "file") return null;
  const { file, text } = about;
  const [first = "", second = ""] = lines;
  const at = [first, second].findIndex((line) => file !== null && line.trim().endsWith(file));
  const taken = about.added === null ? at + 1 : 1;
  // Gemini puts the change into the same row, which must stay visible.
  if (taken === 0 && !first.includes(` ${file ?? "\n"}:`)) return null;
  const rest = trimBlank(lines.slice(taken));
  const count = (tint: LineTint) =>
    cut === null ? rest.filter((line) => tintOf(line) === tint).length : null;
  const { added, removed } = about;
  return {
    kind: "file",
    lines: [text],
    added: added ?? count("add"),
    removed: removed ?? count("del"),
    rest,
  };
}

function commandLines(command: string, lines: readonly string[]): AboutLines | null {
  const at = lines.findIndex((line) => bareCommand(line) === command);
  if (at < 0) return null;
  const none = { kind: "command", added: null, removed: null } as const;
  const after = lines.slice(at + 1);
  if (/^\s*\$ /.test(lines[at] ?? "")) {
    // A wrapped command ends with its paragraph.
    const gap = after.findIndex((line) => !isLine(line));
    const end = gap < 0 ? after.length : gap;
    const indent = (lines[at] ?? "").indexOf("$") + "$ ".length;
    const wrapped = after
      .slice(0, end)
      .map((line) =>
        line.replace(/^\s*/, ({ length }) => " ".repeat(Math.max(0, length - indent))),
      );
    const rest = trimBlank([...lines.slice(0, at), ...after.slice(end)]);
    return { ...none, lines: [command, ...wrapped], rest };
  }
  // Only the program's own sentences and one description may stand beside it: further lines could
  // belong to the command.
  const rest = [...lines.slice(0, at), ...after].filter(
    (line) => isLine(line) && line.trim() !== LABEL,
  );
  const others = rest.join("\n").replace(OWN_LINES, "").split("\n").filter(isLine);
  return others.length > 1 ? null : { ...none, lines: [command], rest };
}

const bareCommand = (line: string): string => line.trim().replace(/^\$ |^│\s*|\s*│$/g, "");

/** The last lines of the screen, or of the preview where no lines are sent. */
export const lastWordsOf = ({ lines, preview }: Pane, most: number): readonly string[] =>
  lastScreenLines(lines.length > 0 ? lines : preview, most);

/** Without box borders, and with runs of blank lines as one. */
function lastScreenLines(lines: readonly string[], most = MAX_CAPTURED_LINES): readonly string[] {
  const last = lines.findLastIndex((line) => stripFrame(line) !== "");
  const shown = lines.slice(Math.max(0, last + 1 - most), last + 1).map(stripFrame);
  return trimBlank(shown.filter((line, i) => line !== "" || shown[i - 1] !== ""));
}

/** The server adds this counter; it is not on the screen in this form. */
const PAGE = /^Question \d+\/\d+: /;
/** Lengths of a match that is no coincidence, for a question or its first wrapped row. */
const START = { most: 40, least: 8 };

/** Index of the line where the question begins; `lines.length` when it is not on the screen. */
function questionIndex(lines: readonly string[], question: string): number {
  const asked = question.replace(PAGE, "").split("\n", 1)[0]?.trim() ?? "";
  if (asked === "") return lines.length;
  const begins = (line: string) => {
    if (line.includes(asked.slice(0, START.most))) return true;
    const row = stripFrame(line).replace(/^[^\p{L}\p{N}]+/u, "");
    return row.length >= START.least && asked.startsWith(row);
  };
  const index = lines.findLastIndex(begins);
  return index < 0 ? lines.length : index;
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

type LineTint = "add" | "del" | null;

/** By the sign after the line number, or at the start of the line, where `ls -l` has the mode of a file. */
export function tintOf(line: string): LineTint {
  const sign =
    /^[\s│|]*\d+\s+([+-])(?:\s|$)/.exec(line)?.[1] ??
    /^([+-])(?![+-]{2}|\s*$|[r-][w-][xsS-][r-])/.exec(line)?.[1];
  if (sign === undefined) return null;
  return sign === "+" ? "add" : "del";
}

/** Characters of drawn rules. */
const RULE = "─━═╌╍┄┅┈┉▔▁▀▄";
const BORDER = "│┃║";

const CLOSED_BOX = new RegExp(`(?:^\\s*[${BORDER}].*?\\S|^\\s*[${BORDER}])(\\s*[${BORDER}]\\s*)$`);
const RULE_TO_THE_END = new RegExp(`[${RULE}]{4,}[╮┐┘╯┤╗╝╣]?\\s*$`);
const LEFT_BORDER = new RegExp(`^\\s*[${BORDER}] ?`);
const ONLY_DRAWN = new RegExp(`^[\\s${RULE}${BORDER}╭┌╔╰└╚├╠╹╻╸╺]*$`);

/** Index where the right border of a box and its padding begin; `text.length` without one. */
export function edgeOf(text: string): number {
  const edge = CLOSED_BOX.exec(text)?.[1] ?? RULE_TO_THE_END.exec(text)?.[0];
  return text.length - (edge?.length ?? 0);
}

/** Whether the edge is a horizontal rule (cut where it does not fit) and not a lone border. */
export const isRuleAt = (text: string, at: number): boolean =>
  at < text.length && RULE.includes(text.charAt(at));

/** The text inside a box; "" for a line that only draws. */
function stripFrame(text: string): string {
  const inner = text.slice(0, edgeOf(text)).replace(LEFT_BORDER, "").trimEnd();
  return ONLY_DRAWN.test(inner) ? "" : inner;
}
