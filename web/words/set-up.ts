export const setUp = {
  title: "Set up",
  hide: "Hide",
  pairedAs: (name: string) => `Paired as “${name}”`,
  steps: {
    phone: { title: "On your phone", text: "Answer from anywhere" },
    alerts: { title: "Alerts", text: "When an agent waits, also while this page is closed" },
    workspace: { title: "Agent workspace", text: "What each agent did while you were away" },
  },
};
