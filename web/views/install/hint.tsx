import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { install as words } from "../../words/install.ts";
import { Item } from "../../ui/item.tsx";

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
    <Item label={words.title} hint={TEXTS[way]}>
      {way === "dialog" && <Button onClick={() => void install.ask()}>{words.install}</Button>}
    </Item>
  );
}
