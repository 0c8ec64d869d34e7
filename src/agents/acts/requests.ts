import { sha256 } from "../../lib/digest.ts";
import { canonicalJson } from "../../lib/json.ts";
import { cutText } from "../../lib/words.ts";
import { commandRisk } from "../../detect/risk.ts";
import type { DecisionOption } from "../../protocol/agents.ts";
import { isSuggested } from "../../protocol/options.ts";
import type { Risk } from "../../protocol/pane.ts";
import type { LoggedQuestion } from "../logs/events.ts";
import type { AgentRequest } from "../session.ts";

const MAX_TITLE = 160;
const MAX_DESCRIPTION = 2000;
const MAX_LABEL = 240;
const MAX_OPTION_DESCRIPTION = 500;

export function describe(request: AgentRequest) {
  const options = request.kind === "question" ? optionsOf(request.question) : [];
  return {
    ...textsOf(request),
    kind: request.kind,
    options,
    options_fingerprint: optionsFingerprint(options),
    recommendation: options.find(({ recommended }) => recommended)?.id ?? null,
    risk: riskOf(request),
    multi_select: request.kind === "question" && request.question.multiSelect,
  };
}

/** Read from the uncut texts of the log. */
export function riskOf(request: AgentRequest): Risk | null {
  if (request.kind === "plan_approval") return commandRisk(request.plan.split("\n"));
  const { header, question, options } = request.question;
  const offered = options.flatMap(({ label, description }) => [label, description]);
  return commandRisk([header, ...question.split("\n"), ...offered]);
}

function textsOf(request: AgentRequest): { title: string; description: string } {
  if (request.kind === "plan_approval") {
    return {
      title: "Plan waits for approval",
      description: cutText(request.plan, MAX_DESCRIPTION),
    };
  }
  const { question } = request.question;
  const rest = question.length > MAX_TITLE ? question : request.question.header;
  return {
    title: cutText(question.replace(/\s+/g, " ").trim(), MAX_TITLE),
    description: cutText(rest, MAX_DESCRIPTION),
  };
}

/** Neither runtime writes ids of options: an option is identified by its place. */
function optionsOf(question: LoggedQuestion): DecisionOption[] {
  return question.options.map(({ label, description }, i) => ({
    id: String(i + 1),
    label: cutText(label, MAX_LABEL),
    description: cutText(description, MAX_OPTION_DESCRIPTION),
    recommended: isSuggested(label),
  }));
}

/** Lower-case hex SHA-256 of the options as JSON with sorted keys and no spaces. */
export function optionsFingerprint(options: readonly DecisionOption[]): string {
  return sha256(canonicalJson(options)).toString("hex");
}

/** The option that the runtime says was chosen; null for several, a typed answer or none. */
export function chosenOption(
  request: AgentRequest,
  options: readonly DecisionOption[],
  answers: Readonly<Record<string, string>> | null,
): string | null {
  if (answers === null || request.kind !== "question") return null;
  const { question, id } = request.question;
  const answer = (id === null ? undefined : answers[id]) ?? answers[question];
  if (answer === undefined) return null;
  const place = request.question.options.findIndex(({ label }) => label === answer);
  return options[place]?.id ?? null;
}
