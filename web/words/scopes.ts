import type { Scope } from "../../src/protocol/scope.ts";

/** What a device may do: as a choice, in a list, and as a sentence. */
export const scopes: Readonly<
  Record<Scope, { readonly label: string; readonly may: string; readonly text: string }>
> = {
  look: { label: "Look", may: "may look", text: "It sees everything and sends nothing." },
  answer: {
    label: "Answer",
    may: "may answer",
    text: "What is asked, by an option or in own words. Nothing else.",
  },
  type: {
    label: "Type",
    may: "may type",
    text: "Everything to panes: keys, texts, messages, Stop, Broadcast, New. Not: settings, machines, devices.",
  },
  own: {
    label: "Owner",
    may: "owner",
    text: "Everything, also settings, machines, devices and tokens.",
  },
};

/** A newer server may have other scopes. */
export const mayOf = (scope: Scope | "unknown"): string =>
  scope === "unknown" ? "may do what this page does not know" : scopes[scope].may;
