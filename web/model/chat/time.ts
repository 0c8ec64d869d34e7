/** How far back a chat can be narrowed to: whole days of the reader before today. */
export const CHAT_TIMES = { today: 0, week: 6, month: 29 } as const;
export type ChatTime = keyof typeof CHAT_TIMES;
// The keys of a literal object are its times and nothing else.
export const CHAT_TIME_NAMES = Object.keys(CHAT_TIMES) as readonly ChatTime[];

/** The midnight from which on it counts, in epoch seconds. */
export function beginOf(time: ChatTime, now: number): number {
  const day = new Date(now * 1000);
  // A day of a clock change is not 24 hours long: the calendar counts.
  return (
    new Date(day.getFullYear(), day.getMonth(), day.getDate() - CHAT_TIMES[time]).getTime() / 1000
  );
}

/** Which of them begins at `after`; null for another moment. */
export function timeOfBegin(after: number | null, now: number): ChatTime | null {
  return CHAT_TIME_NAMES.find((time) => beginOf(time, now) === after) ?? null;
}
