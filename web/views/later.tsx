// Views that come after the first load, in two parts: with the first pane, and when the first of the
// rest is opened. A view that nobody names here belongs to the first load.
import { laterCode, laterViews, loadStyles } from "./parts/lazy.tsx";

const pane = laterCode(() => import("./part-pane.ts"));

/** Asked for ahead where a pane will be on the screen at once, or soon. */
export const loadPanePart = () => Promise.all([pane.load(), loadStyles()]);
/** What a key does; null until the part has come. */
export const commandsNow = () => pane.current()?.commandFor ?? null;

/** The page has its main part from the first moment on. */
const emptyMain = () => <main class="pane" id="content" />;

const ofPane = laterViews(pane.load);
const ofRest = laterViews(() => import("./part-rest.ts"));

export const ActiveList = ofPane("ActiveList");
export const AllPanes = ofPane("AllPanes");
export const HostAway = ofPane("HostAway");
export const HostChip = ofPane("HostChip");
export const HostsAway = ofPane("HostsAway");
export const Incompatible = ofPane("Incompatible");
export const SignIn = ofPane("SignIn");
export const SortSheet = ofPane("SortSheet");

export const ContextNote = ofPane("ContextNote");
export const PickBar = ofPane("PickBar");
export const PickSwitch = ofPane("PickSwitch");
export const Finished = ofPane("Finished");
export const Inspector = ofPane("Inspector");
export const NothingWaits = ofPane("NothingWaits");
export const QueueEnd = ofPane("QueueEnd");
export const PaneFoot = ofPane("PaneFoot");
export const PaneMenu = ofPane("PaneMenu");
export const PaneScreen = ofPane("PaneScreen", emptyMain);
export const Parked = ofPane("Parked");
export const ParkedAgent = ofPane("ParkedAgent");
export const ParkedDock = ofPane("ParkedDock");
export const ParkedGroups = ofPane("ParkedGroups");
export const WaitingDock = ofPane("WaitingDock");
export const RenameSheet = ofPane("RenameSheet");
export const SideCard = ofPane("SideCard");

export const ThreeColumns = ofPane("ThreeColumns");
export const TwoColumns = ofPane("TwoColumns");

export const AgentInspector = ofRest("AgentInspector");
export const AgentAsks = ofRest("AgentAsks");
export const AgentCard = ofRest("AgentCard");
export const AgentMark = ofRest("AgentMark");
export const AgentNews = ofRest("AgentNews");
export const AgentFacts = ofRest("AgentFacts");
export const AgentItems = ofRest("AgentItems");
export const AgentScreen = ofRest("AgentScreen", emptyMain);
export const AgentSheet = ofRest("AgentSheet");
export const AgentTick = ofRest("AgentTick");
export const BroadcastSheet = ofRest("BroadcastSheet");
export const ChangesButton = ofRest("ChangesButton");
export const ChangesSide = ofRest("ChangesSide");
export const ChangesTab = ofRest("ChangesTab");
export const ChatTab = ofRest("ChatTab");
export const DiscardRemarks = ofRest("DiscardRemarks");
export const SendRemarks = ofRest("SendRemarks");
export const ClosePaneSheet = ofRest("ClosePaneSheet");
export const CreateSheet = ofRest("CreateSheet");
export const Ended = ofRest("Ended");
export const ExplainSheet = ofRest("ExplainSheet");
export const FirstMessages = ofRest("FirstMessages");
export const MarkFinished = ofRest("MarkFinished");
export const MuteSheet = ofRest("MuteSheet");
export const Palette = ofRest("Palette");
export const Paired = ofRest("Paired", emptyMain);
export const PaneDetails = ofRest("PaneDetails");
export const PhonePage = ofRest("PhonePage", emptyMain);
export const PushRenewal = ofRest("PushRenewal");
export const QueueBeside = ofRest("QueueBeside", emptyMain);
export const QueueInspector = ofRest("QueueInspector");
export const QueuePass = ofRest("QueuePass", emptyMain);
export const RecordDevices = ofRest("RecordDevices");
export const RecordPage = ofRest("RecordPage", emptyMain);
export const ReviewNotice = ofRest("ReviewNotice");
export const SaidFinds = ofRest("SaidFinds");
export const SettingsSheet = ofRest("SettingsSheet");
export const ShortcutHelp = ofRest("ShortcutHelp");
export const StatsPanels = ofRest("StatsPanels");
