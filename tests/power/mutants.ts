import { createHash } from "node:crypto";

/** One small change of one token in a source file. */
export interface Mutant {
  /** Relative to the root, as `src/input/guard.ts`. */
  readonly file: string;
  /** The whole line of today, without its indent. */
  readonly line: string;
  /** Which of the lines with the same text, and which of the changes of that line: 0 is the first. */
  readonly nth: number;
  readonly from: string;
  readonly to: string;
  /** Where `from` begins in the file, in UTF-16 units. */
  readonly at: number;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

const SWAPS: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
  "+": "-",
  "-": "+",
  true: "false",
  false: "true",
  some: "every",
  every: "some",
  min: "max",
  max: "min",
  continue: "break",
};

/** Comments, strings, templates and regular expressions first: nothing inside them is a token. */
const LEXEME =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|[A-Za-z_$][\w$]*|\d[\d_.]*|===|!==|=>|<=|>=|&&|\|\||\?\?|\+\+|--|[-+*/%&|<>!=?]=?|\s+|./g;
const REGEX = /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
/** After these a slash begins a regular expression, elsewhere it divides. */
const BEFORE_REGEX = /^(?:[(,=:[!&|?{};]|&&|\|\||\?\?|=>|return)$/;
const CHOSEN = /^(?:export )?const [A-Z_]+\b|_MS\b|_SECONDS\b|[tT]imeout|[dD]elay|Ms\b/;

/** Every change of one token that the compiled file would show, in the order of the file. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const seen = new Map<string, number>();
  const transpiler = new Bun.Transpiler({ loader: file.endsWith(".tsx") ? "tsx" : "ts" });
  const compiled = transpiler.transformSync(text);
  return tokensOf(text).flatMap((token, index, tokens) => {
    const to = changed(token, tokens[index - 1], tokens[index + 1], text);
    if (to === null) return [];
    const line = lineAt(text, token.at);
    const same = `${line}\n${token.text}\n${to}`;
    const nth = seen.get(same) ?? 0;
    seen.set(same, nth + 1);
    const mutant: Mutant = { file, line, nth, from: token.text, to, at: token.at };
    return isVisible(transpiler, compiled, text, mutant) ? [mutant] : [];
  });
}

export function mutated(text: string, { at, from, to }: Mutant): string {
  return text.slice(0, at) + to + text.slice(at + from.length);
}

/** The same for the same change for as long as its line stands, wherever that moves in its file. */
export function keyOf({ file, line, nth, from, to }: Mutant): string {
  return digest([file, line, String(nth), from, to].join("\n")).slice(0, 12);
}

/** As many of them as asked for, spread by chance but always the same ones for the same lines. */
export function sampleOf(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const turn = new Map(mutants.map((mutant) => [mutant, digest(seed + keyOf(mutant))]));
  const order = (mutant: Mutant) => turn.get(mutant) ?? "";
  return [...mutants].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, count);
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const last = tokens.at(-1)?.text ?? ";";
    REGEX.lastIndex = at;
    LEXEME.lastIndex = at;
    const regex = text[at] === "/" && BEFORE_REGEX.test(last) ? REGEX.exec(text) : null;
    const found = (regex ?? LEXEME.exec(text))?.[0] ?? text[at] ?? "";
    const isToken = regex === null && !/^(?:\s|\/[/*]|["'`])/.test(found);
    // What is left out still stands between two tokens: it is one of no meaning.
    if (isToken) tokens.push({ text: found, at });
    else if (!/^(?:\s|\/[/*])/.test(found)) tokens.push({ text: '""', at });
    at += found.length;
  }
  return tokens;
}

function changed(
  token: Token,
  before: Token | undefined,
  after: Token | undefined,
  text: string,
): string | null {
  const line = lineAt(text, token.at);
  if (/^(?:import|export \{|type |interface )/.test(line)) return null;
  if (token.text === "!") return isNegation(text, token, before) ? "" : null;
  if (token.text === "await") return "";
  // Off by one. How long something takes, or how much of it is enough, is no law.
  if (/^[01]$/.test(token.text)) return CHOSEN.test(line) ? null : String(Number(token.text) + 1);
  if (/^(?:some|every|min|max)$/.test(token.text)) {
    const isCall = before?.text === "." && after?.text === "(";
    return isCall ? (SWAPS[token.text] ?? null) : null;
  }
  // The formatter puts blanks around operators, and none around the brackets of a type.
  const isOperator = !/^\w/.test(token.text);
  const isSpaced = text[token.at - 1] === " " && text[token.at + token.text.length] === " ";
  const isFirst =
    text[token.at - 1] === "\n" ||
    /^\s*$/.test(text.slice(text.lastIndexOf("\n", token.at) + 1, token.at));
  if (isOperator && !isSpaced && !isFirst) return null;
  return Object.hasOwn(SWAPS, token.text) ? (SWAPS[token.text] ?? null) : null;
}

/** Not the `!` of a property that the compiler is told of. */
function isNegation(text: string, { at }: Token, before: Token | undefined): boolean {
  const next = text[at + 1] ?? "";
  return (
    /[\w(#$]/.test(next) &&
    !(before !== undefined && /[\w)\]]$/.test(before.text) && before.at + before.text.length === at)
  );
}

function isVisible(
  transpiler: Bun.Transpiler,
  compiled: string,
  text: string,
  mutant: Mutant,
): boolean {
  try {
    return transpiler.transformSync(mutated(text, mutant)) !== compiled;
  } catch {
    // Not a program any more.
    return false;
  }
}

function lineAt(text: string, at: number): string {
  const end = text.indexOf("\n", at);
  return text.slice(text.lastIndexOf("\n", at - 1) + 1, end < 0 ? undefined : end).trim();
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
