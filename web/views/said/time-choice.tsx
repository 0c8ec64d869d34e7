import type { JSX } from "preact";
import { beginOf, CHAT_TIME_NAMES, timeOfBegin } from "../../model/timeline.ts";
import { useBrowser } from "../../state/client.ts";
import { Icon } from "../../ui/icons.tsx";

const ANY_TIME = "any";
const TIMES = { today: "Today", week: "Last 7 days", month: "Last 30 days" };

/** From which day on; the platform's own list, as for every choice of a few words. */
export function TimeChoice(props: {
  /** Epoch seconds; null: any time. */
  readonly after: number | null;
  readonly onChoose: (after: number | null) => void;
}): JSX.Element {
  const { after, onChoose } = props;
  const { clock } = useBrowser();
  const chosen = timeOfBegin(after, clock.now.peek()) ?? ANY_TIME;
  const choose = (value: string) => {
    const time = CHAT_TIME_NAMES.find((one) => one === value);
    onChoose(time === undefined ? null : beginOf(time, clock.now.peek()));
  };
  return (
    <span
      class={`chip inline rigid relative gap-6 fs-13 surface ${chosen === ANY_TIME ? "" : "on"}`}
    >
      <Icon name="clock" class="small" />
      <select
        aria-label="Time"
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value={ANY_TIME}>Any time</option>
        {CHAT_TIME_NAMES.map((time) => (
          <option key={time} value={time}>
            {TIMES[time]}
          </option>
        ))}
      </select>
    </span>
  );
}
