const NAMES: Readonly<Record<string, readonly [string, string]>> = {
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
};

export const keys = {
  /** What is drawn for a key, and what is spoken. */
  namesOf(key: string): readonly [string, string] {
    if (!key.startsWith("C-")) return NAMES[key] ?? [key, key];
    const letter = key.slice(2).toUpperCase();
    return [`⌃${letter}`, `Control ${letter}`];
  },
};

/** What is printed on keys, and what is said of them. */
export const keyCaps = {
  keyNames: {
    mod: { apple: ["⌘", "Command"], other: ["Ctrl", "Control"] },
    Enter: ["⏎", "Enter"],
    Escape: ["esc", "Escape"],
    ArrowUp: ["↑", "Up"],
    ArrowDown: ["↓", "Down"],
    "-": ["–", "Minus"],
    "+": ["+", "Plus"],
    ",": [",", "Comma"],
    "/": ["/", "Slash"],
    "[": ["[", "Left bracket"],
    "]": ["]", "Right bracket"],
    "?": ["?", "Question mark"],
    ">": [">", "Greater than"],
  } as const,
};
