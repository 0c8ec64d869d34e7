import { notSent } from "./refusals.ts";

export const pane = {
  backToQueue: (n: number) => (n === 0 ? "Back" : `Back, ${n} more waiting`),
  goneText:
    "It was closed, or its session was started anew. A text that was not sent is kept in All.",
  findCount: (current: number, total: number) => (total === 0 ? "None" : `${current} of ${total}`),
  copyLast: (n: number) => `Copy last ${n} lines`,
  nativeStatus: (
    status: "idle" | "working" | "blocked" | "done" | "unknown",
    isReady: boolean | null,
  ) => {
    const words = {
      idle: "Idle",
      working: "Working",
      blocked: "Waiting",
      done: "Done",
      unknown: "Not known",
    };
    return isReady === false ? `${words[status]}, not ready for input` : words[status];
  },
};

export const keys = {
  names: {
    Escape: ["esc", "Esc"],
    Tab: ["tab", "Tab"],
    BTab: ["⇧tab", "Shift Tab"],
    Up: ["↑", "Up"],
    Down: ["↓", "Down"],
    Left: ["←", "Left"],
    Right: ["→", "Right"],
    Enter: ["⏎", "Enter"],
    Space: ["space", "Space"],
    BSpace: ["⌫", "Backspace"],
    PageUp: ["pg↑", "Page up"],
    PageDown: ["pg↓", "Page down"],
    Home: ["home", "Home"],
    End: ["end", "End"],
  } as Readonly<Record<string, readonly [string, string]>>,
  control: (letter: string): readonly [string, string] => [`⌃${letter}`, `Control ${letter}`],
  refused: notSent,
};
