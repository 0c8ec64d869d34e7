/** One line of a log of the first runtime, made up. */
export function promptLine(text: string, at: number, over: object = {}): string {
  return line({
    type: "user",
    sessionId: "session-1",
    uuid: `${text} ${at}`,
    version: "2.1.330",
    cwd: "/home/dev/shop",
    timestamp: new Date(at * 1000).toISOString(),
    message: { role: "user", content: text },
    ...over,
  });
}

/** A structured question of the first runtime. */
export function questionLine(id: string, at: number): string {
  const questions = [
    { question: "Which one?", header: "One", options: [{ label: "A" }, { label: "B" }] },
  ];
  return line({
    type: "assistant",
    sessionId: "session-1",
    uuid: id,
    timestamp: new Date(at * 1000).toISOString(),
    message: {
      model: "m",
      content: [{ type: "tool_use", id, name: "AskUserQuestion", input: { questions } }],
    },
  });
}

export function line(record: object): string {
  return `${JSON.stringify(record)}\n`;
}
