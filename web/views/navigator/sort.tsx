import type { JSX } from "preact";
import { SORTS } from "../../state/browser/preferences.ts";
import { useBrowser } from "../../state/client.ts";
import { all as words } from "../../words/lists.ts";
import { Sheet } from "../parts/sheet.tsx";
import { SwitchItem, MenuItem } from "../../ui/item.tsx";

/** How the list of all panes is ordered. */
export function SortSheet(): JSX.Element {
  const { preferences } = useBrowser();
  const { sort, starsFirst } = preferences.current.value;
  return (
    <Sheet title="Sort">
      <div class="set" role="radiogroup" aria-label="Sort">
        {SORTS.map((choice) => (
          <MenuItem
            key={choice}
            label={words.sorts[choice]}
            isChosen={choice === sort}
            onClick={() => preferences.set({ sort: choice })}
          />
        ))}
      </div>
      <div class="set">
        <SwitchItem
          icon="star"
          label="Stars first"
          isOn={starsFirst}
          onChange={(on) => preferences.set({ starsFirst: on })}
        />
      </div>
    </Sheet>
  );
}
