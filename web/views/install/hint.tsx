import type { JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Item } from "../../ui/item.tsx";

const TEXTS = {
  dialog: "Opens in a window of its own, starts without the network, counts who waits on its icon.",
  share: "In Safari, tap Share, then “Add to Home Screen”.",
  needs_https: "Browsers install and notify only over HTTPS.",
  installed: "Installed.",
} as const;

/** How this browser puts the page on a home screen; nothing where it cannot. */
export function InstallHint(): JSX.Element | null {
  const { install } = useBrowser();
  const way = install.way.value;
  if (way === "none") return null;
  return (
    <Item label="On the home screen" hint={TEXTS[way]}>
      {way === "dialog" && <Button onClick={() => void install.ask()}>Install</Button>}
    </Item>
  );
}
