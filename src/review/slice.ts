import type { AgentRun, PassSource } from "../agents/agent-run.ts";
import type { Workspace } from "../agents/workspace.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/clock.ts";
import { jsonWithEtag } from "../lib/json-with-etag.ts";
import type { Log } from "../lib/log.ts";
import { Loop } from "../lib/loop.ts";
import type { AlertReason } from "../protocol/push.ts";
import {
  MAX_INTERVAL_MINUTES,
  MIN_INTERVAL_MINUTES,
  REVIEW_VERSION,
  type ReviewGroup,
} from "../protocol/review.ts";
import type { Handlers, Slice } from "../slice.ts";
import { Reviewer } from "./review.ts";
import { ReviewStore } from "./store.ts";

interface ReviewSliceDeps {
  workspace: Pick<Workspace, "subscribe" | "current" | "capability">;
  passes: PassSource;
  onError: boolean;
  sendDigest: () => void;
  clock: Clock;
  log: Log;
}

interface ReviewSlice extends Slice {
  /** Whether ordinary alerts of this kind wait for the digest at present. */
  isHeld(reason: AlertReason): boolean;
  /** What there is to review: the same list until it changes, empty while the workspace is off. */
  groups(): readonly ReviewGroup[];
}

/** A clock that is set forward is noticed within this time. */
const MAX_REST_MS = 30_000;

const NONE: readonly ReviewGroup[] = [];

interface Running {
  review: Reviewer;
  store: ReviewStore;
  loop: Loop;
  unsubscribe: () => void;
}

/** Review of agents' work: it runs while the agent workspace does. */
export function reviewSlice(deps: ReviewSliceDeps): ReviewSlice {
  let running: Running | null = null;
  let groups = NONE;
  const unsubscribe = deps.workspace.subscribe((run) => {
    running?.unsubscribe();
    void running?.loop.stop();
    running = run && begin(run, deps);
    groups = NONE;
  });
  /** Null while the workspace is off, and where its store cannot be read. */
  const tried = <T>(read: (from: Running) => T): T | null => {
    try {
      return running && read(running);
    } catch (error) {
      deps.workspace.current?.noteFailure(error);
      return null;
    }
  };
  const require = (): Reviewer => {
    if (!running) throw new AppError("unavailable", "agent context is disabled");
    return running.review;
  };
  return {
    name: "review",
    routes: reviewRoutes(require),
    async before(c, next) {
      require();
      if (c.req.method !== "GET") deps.workspace.current?.requireFile();
      await next();
      deps.workspace.current?.noteFailure(c.error);
    },
    capabilities: () => ({
      agent_review_v1: {
        enabled: running !== null,
        version: REVIEW_VERSION,
        scheduling: running !== null,
        min_interval_minutes: MIN_INTERVAL_MINUTES,
        max_interval_minutes: MAX_INTERVAL_MINUTES,
        degraded_reason: deps.workspace.capability().degraded_reason,
      },
    }),
    async stop() {
      unsubscribe();
      running?.unsubscribe();
      await running?.loop.stop();
      running = null;
    },
    // A store that cannot be read holds no alert back.
    isHeld: (reason) => tried(({ review }) => review.isHeld(reason)) ?? false,
    groups() {
      // A reading that failed proves nothing: what was read before stays.
      groups = running ? (tried(({ review }) => review.groups) ?? groups) : NONE;
      return groups;
    },
  };
}

function begin(run: AgentRun, deps: ReviewSliceDeps): Running {
  const { passes, clock, log, onError, sendDigest } = deps;
  const store = new ReviewStore(run.store.database);
  const review = new Reviewer({
    agents: run.store,
    store,
    clock,
    panes: () => passes.current.sights.map(({ state }) => state),
    onError,
    publish(kind, agent_id) {
      run.feed.publish({ kind, agent_id, revision: 0 });
      if (kind === "review_settings_updated") loop.wake();
    },
    sendDigest,
  });
  const loop = new Loop({
    async run() {
      try {
        review.tick();
      } catch (error) {
        run.noteFailure(error);
        throw error;
      }
    },
    restMs: () => restMs(store.timer().next_due_at, clock.now()),
    log,
  });
  loop.start();
  return { review, store, loop, unsubscribe: passes.subscribe(() => review.panesChanged()) };
}

function restMs(next_due_at: number | null, now: number): number {
  if (next_due_at === null) return MAX_REST_MS;
  return Math.min(MAX_REST_MS, Math.max(0, (next_due_at - now) * 1000));
}

/** `/api/review`, its settings, and the marks of `/api/agents/:id/review`. */
export function reviewRoutes(require: () => Reviewer): Handlers {
  return {
    "GET /api/review": async (c) => {
      if (c.req.valid("query").counts !== undefined)
        return jsonWithEtag(c.req.raw, require().summary());
      const review = require().read();
      return jsonWithEtag(c.req.raw, review, { ...review, generated_at: 0 });
    },
    "PUT /api/review/all": (c) => require().acknowledgeAll(c.req.valid("json").snapshots),
    "PATCH /api/review/settings": (c) => require().changeSettings(c.req.valid("json")),
    "PUT /api/agents/:id/review": (c) =>
      require().acknowledge(c.req.param("id"), c.req.valid("json").snapshot_id),
  };
}
