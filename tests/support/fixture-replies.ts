import { phoneChecks } from "../../src/pairing/phone.ts";
import { renderPath } from "../../src/pairing/qr.ts";
import type { PairingLink, PhoneCheck, PhoneState } from "../../src/protocol/access.ts";
import type { CaseDraft } from "../../src/protocol/explain.ts";
import type { CreationState, DirectoryListing } from "../../src/protocol/creation.ts";
import type { UploadedImage } from "../../src/protocol/input.ts";
import { NOW } from "./fixture-panes.ts";
import { usageHistory, usageReply } from "./fixture-usage.ts";

/** Browsers on the socket beside the page, and for how many seconds. */
export const OTHER_BROWSERS = [
  {
    ip: "100.64.0.2",
    ua: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    age: 11_520,
  },
  {
    ip: "192.168.1.40",
    ua: "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
    age: 172_900,
  },
];

export function creationState(members: Partial<CreationState> = {}): CreationState {
  const runtime = (id: CreationState["runtimes"][number]["id"], label: string) => ({
    ...{ id, label, available: true, reason: null },
  });
  return {
    ...{ enabled: true, reason: null },
    roots: [{ label: "code", path: "/home/dev/code" }],
    recent_directories: ["api", "docs", "mobile"].map((name) => ({
      name,
      path: `/home/dev/code/${name}`,
      root_label: "code",
    })),
    runtimes: [
      runtime("shell", "Shell"),
      runtime("agent_b", "Codex"),
      runtime("agent_a", "Claude Code"),
      runtime("agent_e", "Antigravity"),
      { ...runtime("agent_c", "Grok"), available: false, reason: "not installed" },
      runtime("agent_d", "OpenCode"),
    ],
    ...members,
  };
}

const TREE: Readonly<Record<string, readonly string[]>> = {
  "/home/dev/code": ["api", "docs", "mobile", "web"],
  "/home/dev/code/web": ["apps", "packages", "scripts"],
};

/** A small tree; `many` has 500 children and more that are not listed. */
export function directoryListing(path: string): DirectoryListing {
  const isLarge = path.endsWith("/many");
  const names = isLarge
    ? Array.from({ length: 500 }, (_, i) => `folder-${String(i).padStart(3, "0")}`)
    : (TREE[path] ?? []);
  return {
    path,
    root: { label: "code", path: "/home/dev/code" },
    parent: path === "/home/dev/code" ? null : path.replace(/\/[^/]+$/, ""),
    directories: names.map((name) => ({ name, path: `${path}/${name}` })),
    truncated: isLarge,
  };
}

export function caseDraft(): CaseDraft {
  return {
    draft: "5f4f1d1f-0a11-4f1c-8d0e-8f0c4c579a0e",
    expires_in: 900,
    lines: [
      "❯ Rotate the session keys of acme-billing",
      "",
      "● Update(/home/dev/acme-billing/src/session.ts)",
      "  ⎿  Updated session.ts with 2 additions",
      "",
      "╭──────────────────────────────────────────────────────────────╮",
      "│ Do you want to make this edit to session.ts?                 │",
      "│ ❯ 1. Yes                                                     │",
      "│   2. Yes, allow all edits in /home/dev/acme-billing/         │",
      "│   3. No, and tell Claude what to do differently              │",
      "╰──────────────────────────────────────────────────────────────╯",
      "",
      "",
    ],
    title: "✳ Rotate session keys",
    command: "claude",
    process: "claude --model opus /home/dev/acme-billing",
    kind: "agent_a",
    status: "idle",
    rule: "agent_a.idle",
  };
}

export function pairingLink(): PairingLink {
  return {
    url: "https://panes.example/#pair=AAAAAAAAAAAAAAAAAAAAAA",
    short_code: "K7QF-2M9X",
    other_urls: [],
    is_local: false,
    expires_at: NOW + 300,
    qr: renderPath("https://panes.example/#pair=AAAAAAAAAAAAAAAAAAAAAA") ?? { size: 0, path: "" },
  };
}

/** `inTheWay`: the first thing that is not so. */
export function phoneState(inTheWay: PhoneCheck["id"] | null = null): PhoneState {
  const isServed = inTheWay === null;
  const isPlain = inTheWay === "encrypted";
  const own = isPlain ? "http://192.168.1.5:8787" : "http://127.0.0.1:8787";
  const checks = phoneChecks({
    token: inTheWay === "password" ? "none" : "kept",
    address: isServed ? "https://panes.example" : own,
    isLocal: !isServed && !isPlain,
    tailscale: {
      state: "on",
      url: "https://panes.example",
      serve: ["serve", "--bg", "8787"],
      served: isServed ? { url: "https://panes.example", isPublic: false, off: [] } : null,
    },
  });
  return {
    host: "mina",
    address: isServed ? "https://panes.example" : own,
    checks,
    token: inTheWay === "password" ? "none" : "kept",
    tailscale: "on",
    addresses: [],
    phones: [],
  };
}

export function uploadedImage(): UploadedImage {
  return {
    id: "5f4f1d1f0a112f1c5d0e8f0c4c579a0e",
    path: "/home/dev/.panewatch/uploads/5f4f.png",
    terminal_text: "'/home/dev/.panewatch/uploads/5f4f.png'",
    mime_type: "image/png",
    size: 68,
    expires_at: Math.floor(Date.now() / 1000) + 86_400,
  };
}

/** What a path answers with, from the body and the query. */
export type Reply = (body: Record<string, unknown>, query: URLSearchParams) => unknown;

/** Of the parts that need a machine behind them: usage, folders, cases, phones and images. */
export const usualReplies = (): Record<string, Reply> => ({
  "/api/usage": () => usageReply(),
  "/api/usage/refresh": () => usageReply(),
  "/api/usage/history": (_, query) => usageHistory(query.get("period") ?? ""),
  "/api/mux/creation": () => creationState(),
  "/api/mux/directories": (_, query) => directoryListing(query.get("path") ?? ""),
  "/api/mux/create": () => ({ pane_id: "%14", target: "api:14.1" }),
  "/api/cases": () => caseDraft(),
  "/api/cases/save": () => ({ name: "agent_a-5f4f1d1f" }),
  "/api/pair/codes": () => pairingLink(),
  "/api/phone": () => phoneState(),
  "/api/images": () => uploadedImage(),
});
