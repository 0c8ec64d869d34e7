import type { Request, SampleRuntime } from "./requests.ts";

export interface MenuRow {
  label: string;
  description: string;
  /** `write`: what is typed there is the answer, and its number only moves there. */
  does: "choose" | "write" | "refuse";
}

/** The rows of a request's dialog, as the runtime draws them. */
export function menuOf(request: Request, runtime: SampleRuntime): MenuRow[] {
  switch (request.ask) {
    case "permission":
      return [
        row("Yes", "choose"),
        row(`Yes, and don’t ask again for: ${request.rule}`, "choose"),
        row("No", "refuse"),
      ];
    case "question":
      return [
        ...request.choices.map((choice) => ({ ...choice, does: "choose" as const })),
        ...(runtime === "agent_a"
          ? [row("Type something.", "write"), row("Chat about this", "refuse")]
          : [row("None of the above", "choose", "Optionally, add details in notes (tab)")]),
      ];
    case "plan":
      return [
        row("Yes, and use auto mode", "choose"),
        row("Yes, manually approve edits", "choose"),
        row("Tell Claude what to change", "write", "shift+tab to approve with this feedback"),
      ];
  }
}

function row(label: string, does: MenuRow["does"], description = ""): MenuRow {
  return { label, does, description };
}
