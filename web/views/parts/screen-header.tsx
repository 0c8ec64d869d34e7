import type { ComponentChildren, JSX } from "preact";
import type { Tab } from "../../state/browser/router.ts";
import { common } from "../../words/common.ts";
import { Banner } from "../connection/banner.tsx";
import { ConnectionChip } from "../connection/chip.tsx";
import { SheetButton } from "./sheet-button.tsx";

/** Large title, connection and the rare actions of a screen. */
export function ScreenHeader(props: {
  readonly title: Tab;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const { title, children } = props;
  return (
    <>
      <header class="screen-header">
        <h1>{common.tabs[title]}</h1>
        <ConnectionChip />
        {children}
        <SheetButton icon="sliders" label={common.settings} opens="settings" />
      </header>
      <Banner />
    </>
  );
}
