import type { ComponentChildren, JSX } from "preact";
import type { Tab } from "../../state/router.ts";
import { useClient } from "../../state/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { Banner } from "../connection/banner.tsx";
import { ConnectionChip } from "../connection/chip.tsx";

/** Large title, connection and the rare actions of a screen. */
export function ScreenHeader(props: {
  readonly title: Tab;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, children } = props;
  const { router } = useClient();
  return (
    <>
      <header class="screen-header">
        <h1>{common.tabs[title]}</h1>
        <ConnectionChip />
        {children}
        <IconButton
          icon="sliders"
          label={common.settings}
          aria-haspopup="dialog"
          onClick={() => router.show("settings")}
        />
      </header>
      <Banner />
    </>
  );
}
