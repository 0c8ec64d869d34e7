// Views that come after the first load, in two parts: with the first pane, and when the first of the
// rest is opened. A view that nobody names here belongs to the first load.
import { laterCode, laterView, loadStyles } from "./parts/lazy.tsx";

const pane = laterCode(() => import("./part-pane.ts"));
const loadRest = () => import("./part-rest.ts");

/** Asked for ahead where a pane will be on the screen at once, or soon. */
export const loadPanePart = () => Promise.all([pane.load(), loadStyles()]);
/** What a key does; null until the part has come. */
export const commandsNow = () => pane.current()?.commandFor ?? null;

/** The page has its main part from the first moment on. */
const emptyMain = () => <main class="pane" id="content" />;

export const ActiveList = laterView(async () => (await pane.load()).ActiveList);
export const AllPanes = laterView(async () => (await pane.load()).AllPanes);
export const HostAway = laterView(async () => (await pane.load()).HostAway);
export const HostChip = laterView(async () => (await pane.load()).HostChip);
export const HostsAway = laterView(async () => (await pane.load()).HostsAway);
export const Incompatible = laterView(async () => (await pane.load()).Incompatible);
export const SignIn = laterView(async () => (await pane.load()).SignIn);
export const SortSheet = laterView(async () => (await pane.load()).SortSheet);

export const ContextNote = laterView(async () => (await pane.load()).ContextNote);
export const CollectSwitch = laterView(async () => (await pane.load()).CollectSwitch);
export const EntryRow = laterView(async () => (await pane.load()).EntryRow);
export const Inspector = laterView(async () => (await pane.load()).Inspector);
export const NothingWaits = laterView(async () => (await pane.load()).NothingWaits);
export const SetUp = laterView(async () => (await pane.load()).SetUp);
export const PaneMenu = laterView(async () => (await pane.load()).PaneMenu);
export const PaneScreen = laterView(async () => (await pane.load()).PaneScreen, emptyMain);
export const Parked = laterView(async () => (await pane.load()).Parked);
export const ParkedAgent = laterView(async () => (await pane.load()).ParkedAgent);
export const ParkedDock = laterView(async () => (await pane.load()).ParkedDock);
export const ParkedGroups = laterView(async () => (await pane.load()).ParkedGroups);
export const WaitingDock = laterView(async () => (await pane.load()).WaitingDock);
export const RenameSheet = laterView(async () => (await pane.load()).RenameSheet);
export const SideCard = laterView(async () => (await pane.load()).SideCard);

export const ThreeColumns = laterView(async () => (await pane.load()).ThreeColumns);
export const TwoColumns = laterView(async () => (await pane.load()).TwoColumns);

export const AgentInspector = laterView(async () => (await loadRest()).AgentInspector);
export const AgentAsks = laterView(async () => (await loadRest()).AgentAsks);
export const AgentCard = laterView(async () => (await loadRest()).AgentCard);
export const AgentMark = laterView(async () => (await loadRest()).AgentMark);
export const AgentNews = laterView(async () => (await loadRest()).AgentNews);
export const AgentOfPane = laterView(async () => (await loadRest()).AgentOfPane);
export const AgentScreen = laterView(async () => (await loadRest()).AgentScreen);
export const AgentSheet = laterView(async () => (await loadRest()).AgentSheet);
export const AgentTick = laterView(async () => (await loadRest()).AgentTick);
export const BroadcastSheet = laterView(async () => (await loadRest()).BroadcastSheet);
export const ChosenLabel = laterView(async () => (await loadRest()).ChosenLabel);
export const CollectBar = laterView(async () => (await loadRest()).CollectBar);
export const CollectQuestion = laterView(async () => (await loadRest()).CollectQuestion);
export const ChangesButton = laterView(async () => (await loadRest()).ChangesButton);
export const ChangesInspector = laterView(async () => (await loadRest()).ChangesInspector);
export const ChangesPage = laterView(async () => (await loadRest()).ChangesPage, emptyMain);
export const DiscardRemarks = laterView(async () => (await loadRest()).DiscardRemarks);
export const SendRemarks = laterView(async () => (await loadRest()).SendRemarks);
export const ClosePaneSheet = laterView(async () => (await loadRest()).ClosePaneSheet);
export const CreateSheet = laterView(async () => (await loadRest()).CreateSheet);
export const ExplainSheet = laterView(async () => (await loadRest()).ExplainSheet);
export const FirstMessages = laterView(async () => (await loadRest()).FirstMessages);
export const MarkFinished = laterView(async () => (await loadRest()).MarkFinished);
export const MuteSheet = laterView(async () => (await loadRest()).MuteSheet);
export const Palette = laterView(async () => (await loadRest()).Palette);
export const Paired = laterView(async () => (await loadRest()).Paired, emptyMain);
export const PhonePage = laterView(async () => (await loadRest()).PhonePage, emptyMain);
export const PushRenewal = laterView(async () => (await loadRest()).PushRenewal);
export const QueueBeside = laterView(async () => (await loadRest()).QueueBeside, emptyMain);
export const QueueInspector = laterView(async () => (await loadRest()).QueueInspector);
export const QueuePass = laterView(async () => (await loadRest()).QueuePass, emptyMain);
export const ReviewNotice = laterView(async () => (await loadRest()).ReviewNotice);
export const SendingFate = laterView(async () => (await loadRest()).SendingFate);
export const SessionList = laterView(async () => (await loadRest()).SessionList);
export const SettingsSheet = laterView(async () => (await loadRest()).SettingsSheet);
export const ShortcutHelp = laterView(async () => (await loadRest()).ShortcutHelp);
export const StatsPanels = laterView(async () => (await loadRest()).StatsPanels);
export const TimelineScreen = laterView(async () => (await loadRest()).TimelineScreen, emptyMain);
export const WholeTimeline = laterView(async () => (await loadRest()).WholeTimeline);
