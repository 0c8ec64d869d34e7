import type { JSX } from "preact";
import { isPlaceholder, type Pane } from "../../model/pane.ts";
import { TERMINAL_SIZES } from "../../state/browser/preferences.ts";
import { useBrowser, useClient, usePart, type Client } from "../../state/client.ts";
import { Settings } from "../../state/server/settings.ts";
import type { Server } from "../../state/server/server.ts";
import { Stops } from "../../state/server/stops.ts";
import { IconButton } from "../../ui/button.tsx";
import type { IconName } from "../../ui/icons.tsx";
import { MenuItem, SwitchItem } from "../../ui/item.tsx";
import { more } from "../more.tsx";
import { COPY_LINES, copyLast } from "../parts/copy-lines.tsx";
import { SheetButton } from "../parts/links.tsx";
import { Sheet } from "../parts/sheet.tsx";

/** Stars or unstars a pane at once; taken back with a message when the server does not save it. */
export async function toggleStar({ browser, server }: Client, pane: Pane): Promise<void> {
  const { api, panes } = server;
  const starred = !pane.starred;
  const saved = panes.overlay(pane.id, { starred });
  const result = await api.call("POST /api/star", { json: { target: pane.target, starred } });
  saved(result.ok);
  if (!result.ok) browser.messages.alert("The star could not be saved.");
}

/** Lets go of a target that stands for no pane any more: its name, kind and star with it. */
async function forgetTarget({ browser, server }: Client, pane: Pane): Promise<void> {
  const failure = await server
    .part(Settings)
    .change("overrides", (all) => all.filter(({ target }) => target !== pane.target));
  if (failure !== null) browser.messages.alert("It was not forgotten.");
  else if (browser.router.openPane.peek() === pane.id) browser.router.back();
}

/** Only what was created here, unless the server allows all. */
function canClose(server: Server, pane: Pane): boolean {
  const { pane_close_v1: close } = server.config.current.value?._info.capabilities ?? {};
  const isOffered = close?.enabled === true && server.may("type") && !isPlaceholder(pane.id);
  return isOffered && (close.all || pane.capabilities.delete);
}

/** How a terminal is shown, and what is done with its lines. */
function toolsOf(client: Client, pane: Pane) {
  const { preferences, terminal } = client.browser;
  const { wrap, colours } = preferences.current.value;
  const { isFinding, isFollowing } = terminal;
  const flip = (part: typeof isFinding) => () => {
    part.value = !part.value;
  };
  const tool = (icon: IconName, label: string, isOn: boolean | undefined, press: () => void) => ({
    ...{ icon, label, isOn, press },
  });
  return {
    wrap: tool("wrap", "Wrap lines", wrap, () => preferences.set({ wrap: !wrap })),
    follow: tool("toEnd", "Follow the tail", isFollowing.value, flip(isFollowing)),
    colours: tool("screen", "Terminal colours", colours, () =>
      preferences.set({ colours: !colours }),
    ),
    find: tool("search", "Find in output", isFinding.value, flip(isFinding)),
    copy: tool("copy", `Copy last ${COPY_LINES} lines`, undefined, () => copyLast(client, pane)),
  };
}

/** More about one pane: how its terminal is shown, and what is rarely done with it. */
export function PaneMenu({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const stops = usePart(Stops);
  const { browser, server } = client;
  const { router } = browser;
  const agentId = server.agentIn(pane);
  const shown = router.shownPage.value;
  const isScreen = shown?.id !== pane.id || shown.tab === "screen";
  const tools = toolsOf(client, pane);
  const then = (run: () => unknown) => () => router.close(() => void run());
  const sheet = (name: string) => () => router.show(name, pane.id);
  const mayStop = stops.can(pane) && server.can("type");
  const mayForget = isPlaceholder(pane.id) && server.may("own");
  const star = pane.starred ? "Remove star" : "Star";
  const items: readonly (false | Parameters<typeof MenuItem>[0])[] = [
    mayStop && { icon: "stop", label: "Stop", onClick: then(() => stops.press(pane)) },
    { icon: "pencil", label: "Rename", onClick: sheet("rename") },
    server.may("type") && {
      ...{ icon: "star", label: star, onClick: then(() => toggleStar(client, pane)) },
    },
    mayForget && {
      ...{ icon: "close", label: "Forget", onClick: then(() => forgetTarget(client, pane)) },
    },
    server.config.has("web_push_v1") && {
      ...{ icon: "bell", label: "Mute alerts", onClick: sheet("mute") },
    },
    { icon: "book", label: "Pane details", onClick: sheet("pane-details") },
    { icon: "info", label: "Why this status?", onClick: sheet("explain") },
    canClose(server, pane) && {
      ...{ icon: "close", label: "Close pane", onClick: sheet("close-pane"), isDanger: true },
    },
  ];
  return (
    <Sheet kind="menu" title="More">
      {isScreen && (
        <>
          <SizeRow />
          {[tools.wrap, tools.follow, tools.colours].map(({ press, isOn = false, ...tool }) => (
            <SwitchItem key={tool.label} {...{ ...tool, isOn }} onChange={press} />
          ))}
          <hr />
          {[tools.find, tools.copy].map(({ icon, label, press }) => (
            <MenuItem key={label} {...{ icon, label }} onClick={then(press)} />
          ))}
          <hr />
        </>
      )}
      {items.map((item) => item !== false && <MenuItem key={item.label} {...item} />)}
      {agentId !== null && <more.AgentItems key={agentId} id={agentId} paneId={pane.id} />}
    </Sheet>
  );
}

/** Below a low terminal nothing docks: its tools stand in one thin bar. */
export function LowTools({ pane }: { readonly pane: Pane }): JSX.Element {
  const client = useClient();
  const { hasInput } = client.browser.terminal;
  const { wrap, find, copy, follow } = toolsOf(client, pane);
  return (
    <div class="low-tools flex rigid rule">
      <IconButton
        icon="keyboard"
        label="Keys and message"
        aria-pressed={hasInput.value}
        onClick={() => {
          hasInput.value = !hasInput.value;
        }}
      />
      <span class="grow" />
      <SheetButton icon="textSize" label="Text size" opens="pane-menu" paneId={pane.id} />
      {[wrap, find, copy, follow].map((tool) => (
        <IconButton
          key={tool.label}
          icon={tool.icon}
          label={tool.label}
          aria-pressed={tool.isOn}
          onClick={tool.press}
        />
      ))}
    </div>
  );
}

function SizeRow(): JSX.Element {
  const { preferences } = useBrowser();
  const size = preferences.current.value.terminalSize;
  const step = (label: string, by: 1 | -1, end: number) => (
    <button
      type="button"
      class={by > 0 ? "larger" : "smaller"}
      aria-label={label}
      disabled={(end - size) * by <= 0}
      onClick={() => preferences.set({ terminalSize: size + by })}
    >
      A
    </button>
  );
  return (
    <div class="item" role="group" aria-label="Text size">
      <span class="grow">Text size</span>
      <span class="stepper inline fs-13 fill round-2">
        {step("Smaller text", -1, TERMINAL_SIZES.min)}
        <span class="numbers" aria-live="polite">{`${size} px`}</span>
        {step("Larger text", 1, TERMINAL_SIZES.max)}
      </span>
    </div>
  );
}
