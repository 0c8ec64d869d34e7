import type { AnsweredState } from "../../src/protocol/answered.ts";
import type { Changes, FileChanges } from "../../src/protocol/changes.ts";
import type { ConfigReply } from "../../src/protocol/config.ts";
import type { SessionsReply } from "../../src/protocol/connections.ts";
import type * as creation from "../../src/protocol/creation.ts";
import type { CheckHostReply, HostsReply } from "../../src/protocol/hosts.ts";
import type { UploadedImage } from "../../src/protocol/images.ts";
import type { BroadcastReply, Explanation } from "../../src/protocol/input.ts";
import type { PairReply } from "../../src/protocol/pairing.ts";
import type * as push from "../../src/protocol/push.ts";
import type { QueueReply, QueueState } from "../../src/protocol/queue.ts";
import type { UsageHistory, UsageReply } from "../../src/protocol/usage.ts";

/** Replies that are drawn as the server promises them. Of others `read` says what they are. */
export interface Replies {
  "GET /api/answered": AnsweredState;
  "POST /api/broadcast": BroadcastReply;
  "GET /api/changes": Changes;
  "GET /api/changes/file": FileChanges;
  "GET /api/config": ConfigReply;
  "PATCH /api/config": ConfigReply;
  "POST /api/explain": Explanation;
  "GET /api/hosts": HostsReply;
  "POST /api/images": UploadedImage;
  "POST /api/hosts/check": CheckHostReply;
  "POST /api/mux/create": creation.CreateReply;
  "GET /api/mux/creation": creation.CreationState;
  "GET /api/mux/directories": creation.DirectoryListing;
  "GET /api/mux/message": creation.FirstMessageFate;
  "GET /api/mux/resume": creation.ResumeState;
  "POST /api/mux/resume": creation.CreateReply;
  "POST /api/pair": PairReply;
  "GET /api/push/devices": push.DevicesReply;
  "PATCH /api/push/devices/:id": push.PushDevice;
  "POST /api/push/devices/:id/test": push.TestReply;
  "POST /api/push/web/register": push.WebRegisterReply;
  "GET /api/queue": QueueState;
  "POST /api/queue": QueueReply;
  "GET /api/sessions": SessionsReply;
  "GET /api/usage": UsageReply;
  "GET /api/usage/history": UsageHistory;
  "POST /api/usage/refresh": UsageReply;
}

export type ReplyOf<Name> = Name extends keyof Replies ? Replies[Name] : unknown;
