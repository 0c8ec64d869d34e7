// Everything that is loaded once the panes are there, or when one of these is needed.
// `state/later.ts` loads it.
export { readFates } from "../src/protocol/tolerant-later.ts";
export { pair } from "./state/server/sign-in.ts";
export { Aside } from "./views/aside.tsx";
export { ActiveList } from "./views/active/active.tsx";
export { AgentScreen } from "./views/agents/page.tsx";
export { Obstacle, OthersFate, ReadyReply, Refusal } from "./views/answer/later.tsx";
export { Reply, Uncertain, WarnedOption } from "./views/answer/later.tsx";
export { LinesBelow } from "./views/parts/lines.tsx";
export { keysOf } from "./views/commands/table.ts";
export { Incompatible, SignIn, Trouble } from "./views/connection/connection.tsx";
export { HostChip, HostsAway } from "./views/hosts/hosts.tsx";
export { AllPanes } from "./views/navigator/all.tsx";
export { PaneScreen } from "./views/pane/pane.tsx";
export { Parked, ParkedAgent, ParkedGroups } from "./views/parked/parked.tsx";
export { Paired, PhonePage } from "./views/phone/phone.tsx";
export { CardActs } from "./views/queue/acts.tsx";
export { NothingWaits } from "./views/queue/empty.tsx";
export { AlwaysAllowed, Arrivals, Pull, SetUp } from "./views/queue/end.tsx";
export { AgentAsks, AgentNews } from "./views/queue/news.tsx";
export { QueuePass } from "./views/queue/pass.tsx";
export { PickBar, PickSwitch } from "./views/queue/picks.tsx";
export { Finished, FlatHead } from "./views/queue/rows.tsx";
export { RecordPage } from "./views/record/record.tsx";
export { StatsPanels } from "./views/stats/stats.tsx";
export { ThreeColumns, TwoColumns } from "./views/wide.tsx";
