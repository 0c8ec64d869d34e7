import type { Page } from "playwright-core";
import type { Layer } from "../../src/config/resolve.ts";
import type { Clock } from "../../src/lib/clock.ts";
import { Review, type ReviewGroup } from "../../src/protocol/review.ts";
import { connect } from "./client.ts";
import { type LiveService, startLiveService } from "./live-service.ts";
import { RecordedStage } from "./recorded-stage.ts";
import { until } from "./until.ts";

/** So often the panes are looked at: often enough that no test waits for it. */
const POLL_SECONDS = 0.2;

export const WORKSPACE_FLAGS: Layer = { poll_interval: POLL_SECONDS, naming_mode: "window" };

/** The real service over recorded agents that a test lets go on, with their logs read. */
export class LiveWorkspace {
  readonly stage: RecordedStage;
  readonly #service: LiveService;

  private constructor(stage: RecordedStage, service: LiveService) {
    this.stage = stage;
    this.#service = service;
  }

  static async open(options: {
    assets: string;
    flags?: Layer;
    clock?: Clock;
  }): Promise<LiveWorkspace> {
    const stage = await RecordedStage.open();
    const { assets, clock } = options;
    const service = await startLiveService({
      ...{ tmux: stage.tmux, assets, ...(clock === undefined ? {} : { clock }) },
      flags: { ...stage.homes, ...WORKSPACE_FLAGS, ...options.flags },
    });
    const workspace = new LiveWorkspace(stage, service);
    await workspace.switchTo(true);
    return workspace;
  }

  get url(): string {
    return this.#service.url;
  }

  /** As a person does it on another device. */
  async switchTo(isOn: boolean): Promise<void> {
    await send(this.url, "PATCH", "/api/config", { experimental_agent_workspace_enabled: isOn });
  }

  /** The review once it holds a card of this agent for which this is true. */
  card(name: string, isSo: (group: ReviewGroup) => boolean = () => true): Promise<ReviewGroup> {
    return cardOf(this.url, { pane: this.stage.paneOf(name), isSo });
  }

  /** That of the newest event. */
  async cursor(): Promise<number> {
    const client = connect(Number(new URL(this.url).port), "/ws/agents");
    const [hello] = await client.take(1);
    client.close();
    return Number(hello?.["cursor"]);
  }

  async close(): Promise<void> {
    await this.#service.stop();
    await this.stage.close();
  }
}

/** @throws Error for a refusal */
export async function send(url: string, method: string, path: string, body?: object) {
  const headers = { "content-type": "application/json" };
  const init = body ? { method, headers, body: JSON.stringify(body) } : { method };
  const reply = await fetch(url + path, init);
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

/** What a page asks of the workspace, and what it hears from it. */
export class WorkspaceTraffic {
  /** `GET /api/review`, in their order. */
  readonly asked: string[] = [];
  readonly heard: { type: string; cursor: number; [member: string]: unknown }[] = [];
  /** Sockets of the workspace: opened so far, and open now. */
  opened = 0;
  open = 0;

  constructor(page: Page) {
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (OF_WORKSPACE.test(pathname)) this.asked.push(`${request.method()} ${pathname}${search}`);
    });
    page.on("websocket", (socket) => {
      if (!new URL(socket.url()).pathname.endsWith("/ws/agents")) return;
      this.opened++;
      this.open++;
      socket.on("close", () => this.open--);
      socket.on("framereceived", ({ payload }) => this.heard.push(JSON.parse(String(payload))));
    });
  }
}

const OF_WORKSPACE = /^\/api\/(review|agents|decisions|timeline)(\/|$)/;
