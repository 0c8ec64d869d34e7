interface Limit {
  /** `5-hour limit`, `weekly limit`, `usage limit`. */
  name: string;
  /** The whole notice, somewhere in which is the time of the reset. */
  text: string;
}

const WINDOW = "(?:\\d+-hour|daily|weekly|monthly|session|usage)";

const WINDOW_ALONE = new RegExp(`^${WINDOW}$`, "i");

/** The beginnings of notices. Limits of context or of retries are no such limits. */
const NOTICES = [
  new RegExp(
    `^You(?:'ve|’ve| have) (?:hit|reached|exceeded) your (?:(?:[\\w.-]+ )?(${WINDOW}) )?limit\\b`,
    "i",
  ),
  /^\[API Error: You have exhausted your (daily) quota on this model\b/i,
  /^You(?:'ve|’ve| have) (?:hit|reached|exceeded) your (?!.*\b(?:context|retry)\b)(.{1,40}?) limit\b/i,
  // The turn that it cuts short looks finished.
  new RegExp(`^Approaching your (${WINDOW}) usage limit — Claude will wrap up`, "i"),
  new RegExp(
    `^(?:Claude )?(?:AI )?(?:[\\w.-]+ )?(${WINDOW}) limit reached(?=\\s*(?:$|[^\\s\\w]))`,
    "i",
  ),
];
/** Before a message. */
const MARK = /^[●⏺⎿■⚠✗✕│┃]\s*/u;
/** In a narrow pane a notice wraps. */
const MAX_LINES = 4;

/** @param evidence lines of an agent's error, the notice first */
export function detectLimit(evidence: readonly string[]): Limit | null {
  const lines = evidence.slice(0, MAX_LINES).map((line) => line.trim());
  const text = lines.join(" ").replace(MARK, "");
  const [first = ""] = lines;
  for (const notice of NOTICES) {
    const match = notice.exec(first.replace(MARK, "")) ?? notice.exec(text);
    if (match !== null) return { name: `${nameOf(match[1] ?? "usage")} limit`, text };
  }
  return null;
}

function nameOf(text: string): string {
  return WINDOW_ALONE.test(text) ? text.toLowerCase() : text;
}

const CONTINUE_NOTE =
  /\bcontinu(?:es?|ing) automatically\b|^[\s●⏺]*Usage limit reached · (?:set to )?continu/iu;
const CANCEL_NOTE = /\bautomatic continue cancelled\b/i;
const INPUT_LINE = /^\s{0,2}[❯>]/u;

/**
 * Whether the program goes on by itself after the limit: its last note below the notice says so.
 *
 * @param lines the end of the screen
 */
export function isContinuing(lines: readonly string[], notice: string): boolean {
  for (const line of lines.toReversed()) {
    if (CANCEL_NOTE.test(line)) return false;
    if (CONTINUE_NOTE.test(line) && !INPUT_LINE.test(line)) return true;
    if (line === notice) return false;
  }
  return false;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const HALF_YEAR = 183 * DAY;
/** No limit lasts longer: such a time was misread, or is a joke. */
const MAX_DISTANCE = 366 * DAY;
/** For clocks that differ, and for the time until a notice is read. */
const SLACK = 0.25 * HOUR;
/** A time of day this long before the notice was seen has passed: the machine may have slept. */
const MAX_PAST = 6 * HOUR;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const VERB = "\\b(?:resets?|try again|continu(?:e|ing) automatically)";
const DATE = "([a-z]{3,9})\\.? (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?(?:,| at)?";
const CLOCK = "(\\d{1,2})(?::(\\d{2}))?(?:\\s?([ap]m)\\b)?";
const AT = new RegExp(`${VERB}(?: at| on)? (?:${DATE} )?${CLOCK}(?: \\(([\\w/+-]+)\\))?`, "i");
/** Old logs have the words of the server: `Claude AI usage limit reached|1763942400`. */
const EPOCH = /\blimit reached\|(\d{10})\b/;
const IN = new RegExp(`${VERB} (?:in|after) ((?:\\d+ ?[a-z]+(?:,? and |,? )?)+)`, "i");
const UNITS: Readonly<Record<string, number>> = { d: DAY, h: HOUR, m: 60, s: 1 };

/**
 * When a limit is over, as its notice says: "resets 1am (UTC)", "resets Nov 25, 9am", "try again in 2h
 * 13m". Epoch seconds; null where it tells no time, or one more than a year away.
 *
 * @param seen.at when the notice was seen first: times without a date are near it
 * @param seen.zone the zone of times that name none
 */
export function parseReset(text: string, seen: SeenNotice): number | null {
  const time = readReset(text, seen);
  return time !== null && Math.abs(time - seen.at) <= MAX_DISTANCE ? time : null;
}

interface SeenNotice {
  at: number;
  zone: string;
}

function readReset(text: string, { at, zone }: SeenNotice): number | null {
  const epoch = EPOCH.exec(text)?.[1];
  if (epoch !== undefined) return Number(epoch);
  const span = IN.exec(text)?.[1];
  if (span !== undefined) return at + secondsOf(span);
  const match = AT.exec(text);
  if (match === null) return null;
  const [, monthName, day, year, hour = "", minute, half, zoneName] = match;
  const clock = clockOf(hour, minute, half);
  const now = zonedAt(at, zoneName ?? zone);
  if (clock === null || now === null) return null;
  const on = (date: Temporal.PlainDate) =>
    // A time that the clock shows twice is the second one: the limit is over by then in any case.
    date.toPlainDateTime(clock).toZonedDateTime(now.timeZoneId, { disambiguation: "later" })
      .epochMilliseconds / 1000;
  if (monthName === undefined) {
    const days = [1, 0, -1].map((each) => on(now.toPlainDate().add({ days: each })));
    return days.find((time) => time <= at + windowOf(text)) ?? at;
  }
  const month = MONTHS.indexOf(monthName.slice(0, 3).toLowerCase()) + 1;
  if (month === 0 || Number(day) === 0) return null;
  const inYear = (of: number) => on(Temporal.PlainDate.from({ year: of, month, day: Number(day) }));
  if (year !== undefined) return inYear(Number(year));
  const nearest = [now.year - 1, now.year, now.year + 1].map(inYear);
  return nearest.find((time) => time > at - HALF_YEAR) ?? null;
}

function secondsOf(span: string): number {
  const parts = [...span.matchAll(/(\d+) ?([a-z])/gi)];
  return parts.reduce((sum, [, count, unit = ""]) => {
    return sum + Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  }, 0);
}

/** Null for a number that is no time of day. */
function clockOf(
  hour: string,
  minute: string | undefined,
  half: string | undefined,
): Temporal.PlainTime | null {
  if (minute === undefined && half === undefined) return null;
  const [h, m] = [Number(hour), Number(minute ?? 0)];
  if (m > 59 || h > 23 || (half !== undefined && (h < 1 || h > 12))) return null;
  const inDay = half === undefined ? h : (h % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  return Temporal.PlainTime.from({ hour: inDay, minute: m });
}

/**
 * How far ahead a time of day without a date may lie; one further ahead is that of the day before. A
 * limit of some hours is over within as many.
 */
function windowOf(text: string): number {
  const hours = /\b(\d+)-hour limit\b/i.exec(text)?.[1];
  if (hours !== undefined) return Math.min(DAY, Number(hours) * HOUR + SLACK);
  return DAY - (/\b(?:dai|week|month)ly\b/i.test(text) ? SLACK : MAX_PAST);
}

/** Null where the zone, a text from the screen, is none. */
function zonedAt(at: number, zone: string): Temporal.ZonedDateTime | null {
  const instant = Temporal.Instant.fromEpochMilliseconds(Math.floor(at * 1000));
  try {
    return instant.toZonedDateTimeISO(zone);
  } catch {
    return null;
  }
}
