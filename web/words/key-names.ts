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
