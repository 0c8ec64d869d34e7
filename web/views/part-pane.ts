// The second part of the page: a pane, the lists of panes, and what keys do. Asked for ahead, as soon
// as the panes are there.
export { ActiveList } from "./active/active.tsx";
export { commandFor } from "./commands/table.ts";
export { Incompatible } from "./connection/incompatible.tsx";
export { SignIn } from "./connection/sign-in.tsx";
export { HostAway, HostsAway } from "./hosts/away.tsx";
export { HostChip } from "./hosts/chip.tsx";
export { AllPanes } from "./navigator/all.tsx";
export { SortSheet } from "./navigator/sort.tsx";
export { Inspector } from "./pane/inspector.tsx";
export { PaneMenu } from "./pane/menu.tsx";
export { PaneFoot } from "./pane/foot.tsx";
export { PaneScreen } from "./pane/pane.tsx";
export { RenameSheet } from "./pane/rename.tsx";
export { SideCard } from "./pane/side-card.tsx";
export { Parked, ParkedAgent, ParkedDock, ParkedGroups } from "./parked/parked.tsx";
export { ContextNote } from "./parts/context.tsx";
export { PickBar, PickSwitch } from "./queue/picks.tsx";
export { NothingWaits } from "./queue/empty.tsx";
export { QueueEnd } from "./queue/end.tsx";
export { Finished } from "./queue/finished.tsx";
export { WaitingDock } from "./waiting/dock.tsx";
export { ThreeColumns, TwoColumns } from "./wide.tsx";
