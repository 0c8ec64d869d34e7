// What few open.
export { AgentFacts } from "./agents/facts.tsx";
export { AgentInspector, AgentScreen, ChatTab } from "./agents/page.tsx";
export { Ended } from "./agents/ended.tsx";
export { AgentItems, AgentSheet } from "./agents/sheets.tsx";
export { BroadcastSheet } from "./broadcast/broadcast.tsx";
export { ChangesButton } from "./changes/files.tsx";
export { ChangesSide, ChangesTab } from "./changes/page.tsx";
export { DiscardRemarks, SendRemarks } from "./changes/send.tsx";
export { CreateSheet, FirstMessages } from "./create/create.tsx";
export { ExplainSheet } from "./explain/explain.tsx";
export { ShortcutHelp } from "./commands/help.tsx";
export { Palette } from "./commands/palette.tsx";
export { ClosePaneSheet, MuteSheet, PaneDetails, RenameSheet } from "./pane/sheets.tsx";
export { Paired } from "./phone/paired.tsx";
export { PhonePage } from "./phone/phone.tsx";
export {
  AgentAsks,
  AgentNews,
  AgentTick,
  MarkButton,
  MarkFinished,
  ReviewNotice,
} from "./queue/news.tsx";
export { PushRenewal } from "./push-renewal.ts";
export { QueueBeside, QueueInspector } from "./queue/beside.tsx";
export { QueuePass } from "./queue/pass.tsx";
export { RecordDevices, RecordPage } from "./record/record.tsx";
export { SaidFinds } from "./said/said.tsx";
export { SettingsSheet } from "./settings/settings.tsx";
export { StatsPanels } from "./stats/stats.tsx";
