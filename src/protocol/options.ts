const DECLINES = /^\s*(no|never allow|cancel|deny|reject|skip)\b/i;
const GRANT =
  /\b(don.?t|do not|never) ask\b|\balways\b|\b(allow|accept|approve) all\b|\bauto-?(accept|approve)\b|\bswitch to auto\b|\band remember\b|\b(this|the) session\b/i;
/** A grant that outlives the session. */
const OUTLIVES = /\bask\b|\balways\b|\band remember\b|\b(allow|accept|approve) all\b/i;
const SESSION = /\b(this|the|current) session\b/i;

/** Whether an option refuses what is asked. */
export const declines = (label: string): boolean => DECLINES.test(label);

/** Whether an agent recommends an option: both runtimes tell their models to mark it so. */
export const isSuggested = (label: string): boolean => /\(recommended\)\s*$/i.test(label);

/** Whether an option grants more than what is asked now; the page marks it with a shield. */
export const isGrant = (label: string): boolean => GRANT.test(label) && !declines(label);

export const isStandingGrant = (label: string): boolean =>
  isGrant(label) && OUTLIVES.test(label) && !SESSION.test(label);

/** What an answer would do. `text`: the dangerous words, where they are known. */
export function riskSentence(kind: string, text: string): string {
  const what = text === "" ? "It" : text;
  switch (kind) {
    case "deletes":
      return `${what} deletes for good.`;
    case "rewrites_history":
      return "A forced push replaces what is on the remote.";
    case "root":
      return text === "" ? "It runs as root." : `${text} runs it as root.`;
    case "runs_download":
      return "It runs a program straight from the internet.";
    case "standing_grant":
      return "From then on it does not ask for this.";
    default:
      return "It is dangerous.";
  }
}

/** Keys that take the focused option: guarded input compares which one the person saw focused. */
export const TAKING_KEYS: ReadonlySet<string> = new Set(["Enter", "Space"]);
