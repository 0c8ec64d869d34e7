// What comes once the panes are there: what stands beside the columns, a pane, the lists of panes, what cards
// say of agents, and what keys do.
export { Aside } from "./aside.tsx";
export { ActiveList } from "./active/active.tsx";
export { keysOf } from "./commands/keys.ts";
export { Incompatible, SignIn } from "./connection/sign-in.tsx";
export { Trouble } from "./connection/trouble.tsx";
export { HostChip, HostsAway } from "./hosts/hosts.tsx";
export { Obstacle, Refusal } from "./answer/refusal.tsx";
export { AsksOnce, ReadyReply, Reply } from "./answer/unfolded.tsx";
export { AllPanes, SortSheet } from "./navigator/all.tsx";
export { Inspector, SideCard } from "./pane/card.tsx";
export { PaneMenu } from "./pane/menu.tsx";
export { PaneScreen } from "./pane/pane.tsx";
export { Parked, ParkedAgent, ParkedGroups } from "./parked/parked.tsx";
export { PickBar, PickSwitch } from "./queue/picks.tsx";
export { CardActs } from "./queue/acts.tsx";
export { NothingWaits } from "./queue/empty.tsx";
export { AlwaysAllowed, Arrivals, Pull, SetUp } from "./queue/end.tsx";
export { AgentAsks, AgentNews, AgentTick, MarkFinished } from "./queue/news.tsx";
export { Finished } from "./queue/rows.tsx";
export { ThreeColumns, TwoColumns } from "./wide.tsx";
