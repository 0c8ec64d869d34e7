import type { Socket } from "bun";
import type { Outbox } from "./outbox.ts";
import type { Habits } from "./socket-server.ts";
import { SUBSCRIPTIONS } from "./schema.ts";
import type { Session } from "./session.ts";
import { statusLine, type Pane, type WorldEvent } from "./world.ts";

interface Subscription {
  type: string;
  pane: Pane | null;
  status: string | null;
}

type Wire = Socket<{ stream: EventStream | null; outbox: Outbox }>;

/** One `events.subscribe`: its acknowledgement, the replayed history, then what happens. */
export class EventStream {
  readonly #socket: Wire;
  readonly #subscriptions: readonly Subscription[];
  readonly #tickMs: number;
  readonly #queue: string[] = [];
  readonly #unsubscribe: () => void;
  #timer: Timer | null = null;

  private constructor(
    socket: Wire,
    subscriptions: readonly Subscription[],
    session: Session,
    tickMs: number,
  ) {
    this.#socket = socket;
    this.#subscriptions = subscriptions;
    this.#tickMs = tickMs;
    if (session.replaysEvents) for (const event of session.world.log) this.#take(event);
    for (const { pane, status } of subscriptions)
      if (pane && status === pane.status) this.#queueLine(statusLine(pane));
    this.#unsubscribe = session.world.subscribe((event) => this.#take(event));
  }

  static open(
    socket: Wire,
    { id, params }: { id: string; params: Record<string, unknown> },
    session: Session,
    { streamTickMs }: Habits,
  ): void {
    const wanted = Array.isArray(params.subscriptions) ? params.subscriptions : [];
    const subscriptions: Subscription[] = [];
    for (const [index, entry] of wanted.entries()) {
      const type = String(entry.type);
      if (!SUBSCRIPTIONS.includes(type)) {
        const error = {
          code: "invalid_request",
          message: `invalid request: unknown variant \`${type}\``,
        };
        return void socket.data.outbox.end(socket, `${JSON.stringify({ id: "", error })}\n`);
      }
      const pane = entry.pane_id === undefined ? null : session.world.find(String(entry.pane_id));
      if (entry.pane_id !== undefined && pane === null) {
        const error = {
          code: "pane_not_found",
          message: `pane ${String(entry.pane_id)} not found`,
        };
        return void socket.data.outbox.end(
          socket,
          `${JSON.stringify({ id: `${id}:sub:${index}:probe`, error })}\n`,
        );
      }
      subscriptions.push({ type, pane, status: entry.agent_status ?? null });
    }
    socket.data.outbox.write(
      socket,
      `${JSON.stringify({ id, result: { type: "subscription_started" } })}\n`,
    );
    socket.data.stream = new EventStream(socket, subscriptions, session, streamTickMs);
  }

  stop(): void {
    this.#unsubscribe();
    clearTimeout(this.#timer ?? undefined);
  }

  #take({ subscription, pane, line }: WorldEvent): void {
    const isWanted = this.#subscriptions.some((each) =>
      subscription === null
        ? each.pane === pane && each.type === line.event
        : each.type === subscription,
    );
    if (isWanted) this.#queueLine(line);
  }

  #queueLine(line: object): void {
    this.#queue.push(`${JSON.stringify(line)}\n`);
    this.#timer ??= setTimeout(() => this.#write(), this.#tickMs);
  }

  #write(): void {
    this.#timer = null;
    const lines = this.#queue.splice(0).join("");
    if (lines !== "") this.#socket.data.outbox.write(this.#socket, lines);
  }
}
