// A pane, the lists of panes, and what keys do.
export { ActiveList } from "./active/active.tsx";
export { commandFor } from "./commands/table.ts";
export { Incompatible } from "./connection/incompatible.tsx";
export { SignIn } from "./connection/sign-in.tsx";
export { HostAway, HostChip, HostsAway } from "./hosts/hosts.tsx";
export { AllPanes } from "./navigator/all.tsx";
export { SortSheet } from "./navigator/sort.tsx";
export { Inspector } from "./pane/inspector.tsx";
export { PaneMenu } from "./pane/menu.tsx";
export { PaneScreen } from "./pane/pane.tsx";
export { SideCard } from "./pane/docked.tsx";
export { Parked, ParkedAgent, ParkedGroups } from "./parked/parked.tsx";
export { ContextNote } from "./parts/context.tsx";
export { PickBar, PickSwitch } from "./queue/picks.tsx";
export { NothingWaits } from "./queue/empty.tsx";
export { QueueEnd } from "./queue/end.tsx";
export { Finished } from "./queue/finished.tsx";
export { ThreeColumns, TwoColumns } from "./wide.tsx";
