import type { JSX } from "preact";
import { SORTS } from "../../model/filter.ts";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";
import { SwitchRow } from "../../ui/switch.tsx";
import { all as words } from "../../words/lists.ts";
import { Sheet } from "../parts/sheet.tsx";

/** How the list of all panes is ordered. */
export function SortSheet(): JSX.Element {
  const { preferences } = useBrowser();
  const { sort, starsFirst } = preferences.current.value;
  return (
    <Sheet title={words.sortTitle}>
      <div class="set" role="radiogroup" aria-label={words.sortTitle}>
        {SORTS.map((choice) => (
          <button
            key={choice}
            type="button"
            class="menu-row"
            role="radio"
            aria-checked={choice === sort}
            onClick={() => preferences.set({ sort: choice })}
          >
            <span class="grow">{words.sorts[choice]}</span>
            {choice === sort && <Icon name="check" />}
          </button>
        ))}
      </div>
      <div class="set">
        <SwitchRow isOn={starsFirst} onChange={(on) => preferences.set({ starsFirst: on })}>
          <Icon name="star" />
          {words.starsFirst}
        </SwitchRow>
      </div>
    </Sheet>
  );
}
