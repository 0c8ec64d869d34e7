import type { JSX } from "preact";
import { useBrowser, useServer } from "../../state/client.ts";
import { DEFAULT_KEYS } from "../../state/browser/preferences.ts";
import { SwitchItem } from "../../ui/item.tsx";
import { keys as keyWords } from "../../words/pane.ts";
import { settings as words } from "../../words/settings.ts";

/** Which of the keys that the server allows stand above the composer. */
export function KeyChoice(): JSX.Element {
  const { config } = useServer();
  const { preferences } = useBrowser();
  const { keys } = preferences.current.value;
  const allowed = config.allowedKeys.value;
  const ordered = [
    ...DEFAULT_KEYS.filter((key) => allowed.includes(key)),
    ...allowed.filter((key) => !DEFAULT_KEYS.includes(key)),
  ];
  if (ordered.length === 0) return <p class="page-text">{words.keysNone}</p>;
  return (
    <div class="set">
      {ordered.map((key) => (
        <SwitchItem
          key={key}
          label={
            key.startsWith("C-")
              ? keyWords.control(key.slice(2).toUpperCase())[1]
              : (keyWords.names[key]?.[1] ?? key)
          }
          isOn={keys.includes(key)}
          onChange={(on) => {
            const chosen = new Set(keys);
            if (on) chosen.add(key);
            else chosen.delete(key);
            preferences.set({ keys: ordered.filter((one) => chosen.has(one)) });
          }}
        />
      ))}
    </div>
  );
}
