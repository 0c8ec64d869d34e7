import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { install as words } from "../../words/install.ts";

const TEXTS = {
  dialog: words.dialog,
  share: words.share,
  needs_https: words.needsHttps,
  installed: words.installed,
} as const;

/** How this browser puts the page on a home screen; nothing where it cannot. */
export function InstallHint(): JSX.Element | null {
  const { install } = useBrowser();
  const way = install.way.value;
  if (way === "none") return null;
  return (
    <div class="menu-row plain">
      <span class="grow">
        {words.title}
        <span class="row-text">{TEXTS[way]}</span>
      </span>
      {way === "dialog" && <Button onClick={() => void install.ask()}>{words.install}</Button>}
    </div>
  );
}
