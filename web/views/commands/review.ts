import type { SeenAgent } from "../../../src/protocol/tolerant-agents.ts";
import { agentHash } from "../../state/browser/router.ts";
import type { Workspace } from "../../state/server/agents/workspace.ts";
import type { Client } from "../../state/client.ts";
import { commands as words } from "../../words/commands.ts";
import { shownPaneId, type Command } from "./command.ts";
import { moveRow } from "./move.ts";

export const hasWorkspace = ({ server: { workspace } }: Client): boolean =>
  workspace.facts.value.step === "on";

const hasReview = ({ server: { workspace } }: Client): boolean => {
  const facts = workspace.facts.value;
  return facts.step === "on" && facts.hasReview;
};

const isInReview = (client: Client): boolean =>
  hasReview(client) && client.browser.router.route.value.screen === "review";

/** To what changed, and to the sessions. */
export const WORK = {
  review: {
    label: words.review,
    icon: "check",
    keys: "g r",
    isOffered: hasReview,
    run: ({ browser: { router } }) => router.goReview(),
  },
  agents: {
    label: words.agents,
    icon: "all",
    keys: "g e",
    isOffered: hasWorkspace,
    run: ({ browser: { router } }) => router.go("#/agents"),
  },
  timeline: {
    label: words.timeline,
    icon: "clock",
    keys: "g t",
    isOffered: hasWorkspace,
    run: ({ browser: { router } }) => router.go("#/timeline"),
  },
} as const satisfies Record<string, Command>;

/** With one card, or with the agent that is on the screen. */
export const REVIEW = {
  mark: {
    label: words.mark,
    icon: "check",
    keys: "m",
    isKeyOnly: true,
    isOffered: hasReview,
    run: () => void press("[data-mark]"),
  },
  later: {
    label: words.later,
    icon: "next",
    keys: "l",
    isKeyOnly: true,
    isOffered: isInReview,
    run: (client) => {
      if (!press("[data-later]")) moveRow(client, 1);
    },
  },
  openPane: {
    label: words.openPane,
    icon: "terminal",
    keys: "o",
    isOffered: (client) => paneAtHand(client) !== null,
    run: (client) => {
      const id = paneAtHand(client);
      if (id !== null) client.browser.router.goPane(id);
    },
  },
  openAgent: {
    label: words.openAgent,
    icon: "info",
    keys: "d",
    isOffered: (client) => agentElsewhere(client) !== null,
    run: (client) => {
      const agent = agentElsewhere(client);
      if (agent !== null) client.browser.router.go(agentHash(agent.id));
    },
  },
  plan: {
    label: words.plan,
    icon: "check",
    keys: "a",
    isOffered: (client) => isInReview(client) && client.browser.router.beside.value !== "plan",
    run: ({ browser: { router } }) => router.goReview("plan"),
  },
} as const satisfies Record<string, Command>;

/** Where the buttons stand that are no part of a card. */
const ACTS = "[data-acts]";

/** Presses a button of the card that has the focus, else the one that stands below the card. */
function press(selector: string): boolean {
  const own = document.activeElement?.closest("article")?.querySelector<HTMLElement>(selector);
  const button = own ?? document.querySelector<HTMLElement>(`${ACTS} ${selector}`);
  button?.click();
  return button !== undefined && button !== null;
}

/** The agent whose card has the focus, else the one that is on the screen. */
function agentAtHand(client: Client): SeenAgent | null {
  const workspace = client.server.workspace.current.value;
  if (workspace === null) return null;
  const card = document.activeElement?.closest<HTMLElement>("[data-agent]");
  const id = card?.dataset["agent"] ?? shownAgentId(client, workspace);
  return id === null ? null : workspace.known(id);
}

function shownAgentId(client: Client, workspace: Workspace): string | null {
  const { layout, router } = client.browser;
  const { value: beside } = router.beside;
  if (beside === "agent") return router.openAgent.value?.id ?? null;
  if (beside === "one") return workspace.goingThrough.card.value?.agentId ?? null;
  if (beside === "pane") return workspace.inPane(shownPaneId(client))?.id ?? null;
  return layout.columns.value > 1 ? workspace.chosen.id.value : null;
}

/** The pane of the agent at hand, where another one is on the screen, or none. */
function paneAtHand(client: Client): string | null {
  const agent = agentAtHand(client);
  if (agent === null || agent.association !== "confirmed") return null;
  return agent.pane_id === shownPaneId(client) ? null : agent.pane_id;
}

const agentElsewhere = (client: Client): SeenAgent | null =>
  client.browser.router.openAgent.value === null ? agentAtHand(client) : null;
