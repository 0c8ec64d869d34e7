import type { Page } from "playwright-core";
import type { Layer } from "../../src/config/resolve.ts";
import type { Card } from "../../src/protocol/cards.ts";
import { applyCards } from "../../src/protocol/delta.ts";
import { ServerFrame } from "../../src/protocol/frames.ts";
import { Review, type ReviewGroup } from "../../src/protocol/review.ts";
import type { LiveServiceOptions } from "./live-service.ts";
import type { PageLab } from "./page-lab.ts";
import { RecordedStage } from "./recorded-stage.ts";
import { until } from "./until.ts";
import { jsonRequest } from "./json.ts";

/** So often the panes are looked at: often enough that no test waits for it. */
const POLL_SECONDS = 0.2;

const WORKSPACE_FLAGS: Layer = { poll_interval: POLL_SECONDS, naming_mode: "window" };

/** The real service over recorded agents that a test lets go on, with their logs read. */
export class LiveWorkspace {
  readonly stage: RecordedStage;
  readonly url: string;

  private constructor(stage: RecordedStage, url: string) {
    this.stage = stage;
    this.url = url;
  }

  static async open(
    lab: PageLab,
    { flags = {}, ...options }: Pick<LiveServiceOptions, "flags" | "clock"> = {},
  ): Promise<LiveWorkspace> {
    const stage = await RecordedStage.open();
    lab.closes(() => stage.close());
    const { url } = await lab.service({
      ...options,
      tmux: stage.tmux,
      flags: { ...stage.homes, ...WORKSPACE_FLAGS, ...flags },
    });
    const workspace = new LiveWorkspace(stage, url);
    await workspace.switchTo(true);
    return workspace;
  }

  /** As a person does it on another device. */
  async switchTo(isOn: boolean): Promise<void> {
    await send(this.url, "PATCH", "/api/config", { experimental_agent_workspace_enabled: isOn });
  }

  /** @throws Error for a refusal */
  send(method: string, path: string, body?: object): Promise<unknown> {
    return send(this.url, method, path, body);
  }

  /** The review once it holds a card of this agent for which this is true. */
  card(name: string, isSo: (group: ReviewGroup) => boolean = () => true): Promise<ReviewGroup> {
    return cardOf(this.url, { pane: this.stage.paneOf(name), isSo });
  }
}

/** Whether the card says that this item of the agent's plan is done. */
export const hasDone =
  (item: string) =>
  ({ changes }: ReviewGroup): boolean =>
    (changes.completed ?? []).some(({ title }) => title === item);

/** @throws Error for a refusal */
export async function send(url: string, method: string, path: string, body?: object) {
  const reply = await fetch(url + path, jsonRequest(method, body));
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  const value: unknown = await reply.json();
  return value;
}

/** The card of the session in this pane, once it is there and this holds. */
export function cardOf(
  url: string,
  { pane, isSo }: { pane: string; isSo: (group: ReviewGroup) => boolean },
): Promise<ReviewGroup> {
  return until(async () => {
    const { groups } = Review.parse(await send(url, "GET", "/api/review"));
    const group = groups.find(({ agent }) => agent.pane_id === pane);
    return group !== undefined && isSo(group) ? group : null;
  });
}

interface EventFrame {
  readonly type: string;
  readonly cursor?: number | undefined;
  readonly reason?: string;
}

/** What a page asks of the workspace, and what it hears from it. */
export class WorkspaceTraffic {
  /** In their order. */
  readonly asked: string[] = [];
  /** What it was told of cards, again with every frame. */
  readonly cards: Card[] = [];
  #now: readonly Card[] = [];
  /** Frames of events. */
  readonly heard: EventFrame[] = [];
  /** Sockets of any kind that were opened so far. */
  opened = 0;

  constructor(page: Page) {
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (OF_WORKSPACE.test(pathname)) this.asked.push(`${request.method()} ${pathname}${search}`);
    });
    page.on("websocket", (socket) => {
      this.opened++;
      socket.on("framereceived", ({ payload }) => this.#heard(String(payload)));
    });
  }

  /** Until it was told of something on the card of this pane. */
  told(pane: string, isSo: (card: Card) => boolean): Promise<true> {
    return until(() => this.cards.some((card) => card.pane_id === pane && isSo(card)));
  }

  #heard(text: string): void {
    const frame = ServerFrame.parse(JSON.parse(text));
    if (frame.type === "state") this.#now = frame.cards ?? [];
    if (frame.type === "delta") this.#now = applyCards(this.#now, frame.cards) ?? [];
    this.cards.push(...this.#now);
    if ("cursor" in frame && frame.cursor !== undefined) this.heard.push(frame);
  }
}

const OF_WORKSPACE = /^\/api\/(review|agents|decisions|timeline)(\/|$)/;
