import { quoteWord } from "../lib/quote.ts";
import type { PhoneCheck } from "../protocol/phone.ts";
import { type TailscaleFacts, upCommand } from "./tailscale.ts";

export interface PhoneFacts {
  token: "none" | "kept" | "configured";
  /** Where a phone would open it. */
  address: string;
  /** Only this machine can open that. */
  isLocal: boolean;
  tailscale: TailscaleFacts;
}

type Answer = Pick<PhoneCheck, "title" | "sentence" | "command"> & { isOk: boolean };

/** What is in the way of a phone; only the first thing has failed. */
export function phoneChecks(facts: PhoneFacts): PhoneCheck[] {
  const answers = [
    ["password", passwordCheck(facts)],
    ["reachable", reachableCheck(facts)],
    ["encrypted", encryptedCheck(facts)],
  ] as const;
  const first = answers.find(([, { isOk }]) => !isOk)?.[0];
  return answers.map(([id, { isOk, ...words }]) => {
    if (isOk) return { id, state: "ok", ...words };
    return id === first
      ? { id, state: "failed", ...words }
      : { id, state: "waiting", ...LATER[id] };
  });
}

/** Of what is behind the first thing in the way. */
const LATER: Readonly<Record<PhoneCheck["id"], Omit<Answer, "isOk">>> = {
  password: { title: "Has a token", sentence: "", command: null },
  reachable: { title: "Reachable", sentence: "Comes after it", command: null },
  encrypted: { title: "Encrypted", sentence: "Comes with it", command: null },
};

function passwordCheck({ token }: PhoneFacts): Answer {
  if (token === "none")
    return {
      isOk: false,
      title: "It has no token",
      sentence:
        "Whoever reaches it could type into your terminals. With a token it lets in only who has it.",
      command: null,
    };
  const sentence = token === "kept" ? "Made on this machine" : "That of the configuration";
  return { isOk: true, title: "Has a token", sentence, command: null };
}

function reachableCheck({ address, isLocal, tailscale }: PhoneFacts): Answer {
  if (isLocal)
    return {
      isOk: false,
      title: "No phone can reach this address",
      sentence: `It belongs to this machine alone. ${remedySentence(tailscale)}`,
      command: remedyOf(tailscale),
    };
  const isServed = tailscale.state === "on" && tailscale.served?.url === address;
  if (!isServed)
    return { isOk: true, title: "Reachable", sentence: `At ${address}`, command: null };
  const sentence = tailscale.served?.isPublic
    ? "From the whole internet, by Tailscale Funnel."
    : "From every device in your tailnet. The phone needs the Tailscale app, signed in.";
  return { isOk: true, title: "Reachable", sentence, command: null };
}

function encryptedCheck({ address, tailscale }: PhoneFacts): Answer {
  if (!address.startsWith("https:"))
    return {
      isOk: false,
      title: "Not encrypted",
      sentence: `Whoever listens in that network can read what you type, and the token. ${remedySentence(tailscale)}`,
      command: remedyOf(tailscale),
    };
  const isServed = tailscale.state === "on" && tailscale.served?.url === address;
  const sentence = isServed ? "HTTPS by Tailscale" : "HTTPS";
  return { isOk: true, title: "Encrypted", sentence, command: null };
}

function remedySentence(tailscale: TailscaleFacts): string {
  if (tailscale.state === "on") return "Tailscale is installed here: run this in a terminal.";
  if (tailscale.state === "none")
    return "The simplest way is Tailscale, on this machine and on the phone: https://tailscale.com/download";
  const how = tailscale.hasDaemon ? "is off" : "does not run";
  return `Tailscale is installed here, and ${how}: run this in a terminal.`;
}

function remedyOf(tailscale: TailscaleFacts): string | null {
  if (tailscale.state === "on") return ["tailscale", ...tailscale.serve].map(quoteWord).join(" ");
  return tailscale.state === "off" ? upCommand(tailscale) : null;
}
