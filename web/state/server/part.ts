import type { WebPushCapability } from "../../../src/protocol/push.ts";
import type { Api } from "../../net/api.ts";
import type { OwnDevice } from "../browser/own-device.ts";
import type { Acts } from "./acts.ts";
import type { Drafts } from "./drafts.ts";
import type { Once } from "./once.ts";
import type { Picks } from "./picks.ts";
import type { PassDeps } from "./pass.ts";
import type { Outbox } from "./outbox.ts";
import type { Panes } from "./panes.ts";

/** What a part may stand on. */
export interface PartDeps extends PassDeps {
  readonly acts: Acts;
  readonly picks: Picks;
  readonly api: Api;
  readonly once: Once;
  readonly panes: Panes;
  readonly drafts: Drafts;
  readonly storage: Storage;
  readonly token: () => string;
  readonly lowData: () => boolean;
  readonly connected: () => boolean;
  readonly outbox: Outbox;
  readonly device: OwnDevice;
  readonly offers: (what: "queue_v1" | "stop_v1") => boolean;
  /** Null until the server has said who it is. */
  readonly instance: () => string | null;
  readonly pushCapability: () => WebPushCapability | undefined;
}

/** State of a server that is made when the first view asks for it, and comes with that view's code. */
export interface Part {
  /** Forgets everything of the server: someone signs out. */
  clear(): void;
}

export interface PartKind<P extends Part> {
  new (deps: PartDeps): P;
}
