import { answer, type Answer, type Request, type ServerFacts } from "./answers.ts";
import { World } from "./world.ts";

export type SessionState =
  | "running"
  /** Ended cleanly: its socket file is gone. */
  | "stopped"
  /** Killed: the file stays and refuses. */
  | "killed"
  /** Accepts connections, and answers all requests once it is thawed. */
  | "frozen";

export type Fault =
  /** No answer until the caller is killed. */
  | "hang"
  /** The request is carried out, then there is no answer. */
  | "hang_after"
  /** The connection is closed without an answer; the request was not carried out. */
  | "close"
  /** The same, but the request was carried out. */
  | "close_after"
  /** A line that is no JSON. */
  | "garbage"
  /** The server's answer ends in the middle. */
  | "half"
  /** Bytes that are no UTF-8. */
  | "invalid_utf8"
  /** More bytes than a client may take. */
  | "oversized"
  /** Nothing on stdout, exit 0. */
  | "empty"
  /** An answer under another id. */
  | "wrong_id"
  | { error: { code: string; message: string } }
  /** The server's answer comes so much later. */
  | { delayMs: number };

interface FaultRule {
  fault: Fault;
  /** Method of the socket, such as `pane.read`; null: every one. */
  method: string | null;
  /** How many requests are left for it. */
  times: number;
  /** Only requests about this pane. */
  pane: string | null;
}

/** One named session: the state of its server, and its faults. */
export class Session {
  readonly name: string;
  state: SessionState = "running";
  version = "0.8.2";
  protocol = 20;
  /** A new stream begins with all past events. */
  replaysEvents = true;
  capabilities: Record<string, boolean> | null = {
    live_handoff: true,
    detached_server_daemon: true,
  };
  world = new World();
  readonly faults: FaultRule[] = [];
  readonly violations: string[];
  #thawed = Promise.withResolvers<void>();

  constructor(name: string, violations: string[]) {
    this.name = name;
    this.violations = violations;
  }

  /** The next calls of this kind fail. */
  fail(fault: Fault, rule: Partial<Omit<FaultRule, "fault">> = {}): FaultRule {
    const whole: FaultRule = { fault, method: null, times: 1, pane: null, ...rule };
    this.faults.push(whole);
    return whole;
  }

  /** Resolves at once, or when a frozen server is thawed, which keeps its connections. */
  async goesOn(): Promise<void> {
    if (this.state === "frozen") await this.#thawed.promise;
  }

  thaw(): void {
    this.state = "running";
    this.#thawed.resolve();
    this.#thawed = Promise.withResolvers();
  }

  takeFault({ method, params }: Request): Fault | null {
    const rule = this.faults.find(
      (each) =>
        each.times > 0 &&
        (each.method === null || each.method === method) &&
        (each.pane === null || each.pane === params.pane_id || each.pane === params.target),
    );
    if (!rule) return null;
    rule.times--;
    return rule.fault;
  }

  answer(request: Request): Answer {
    return answer(this.#facts(), request);
  }

  #facts(): ServerFacts {
    return {
      world: this.world,
      version: this.version,
      protocol: this.protocol,
      capabilities: this.capabilities,
      violation: (what) => void this.violations.push(what),
    };
  }
}
