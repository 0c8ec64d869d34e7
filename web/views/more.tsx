// `<more.PaneScreen />` is a view of the later part, drawn once that and its looks have come.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Late, later, type Later } from "../state/later.ts";

/** Filled in by the build: the address of the looks of everything that is loaded later. */
declare const LATER_STYLES: string;

type PropsOf<View> = View extends (props: infer Props) => unknown ? Props & object : never;

const styles = new Late(loadStyles);

/** Code without its looks may not be drawn. */
export const loadMore = async (): Promise<Later> =>
  (await Promise.all([later.load(), styles.load()]))[0];
const moreNow = (): Later | null => styles.here && later.here;

function loadStyles(): Promise<HTMLLinkElement> {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.onload = () => resolve(link);
    link.onerror = () => {
      link.remove();
      reject(new Error("the looks of a view did not load"));
    };
    link.rel = "stylesheet";
    link.href = LATER_STYLES;
    document.head.append(link);
  });
}

/** Their page has its main part from the first moment on. */
const PAGES: ReadonlySet<string> = new Set([
  "AgentScreen",
  "Paired",
  "PaneScreen",
  "PhonePage",
  "QueuePass",
  "RecordPage",
]);

/**
 * A view of the later part. Until it has come nothing is drawn, with a mark (`data-loading`); what cannot
 * be loaded is thrown to the boundary around it, whose Retry begins anew.
 */
function lateView(name: string): (props: object) => JSX.Element {
  return function LateView(props) {
    const [arrived, setArrived] = useState<{ readonly fault: unknown } | null>(null);
    const View: ComponentType | null = Reflect.get(moreNow() ?? {}, name) ?? null;
    useEffect(() => {
      // What was drawn without it is drawn again, also where it has come for another meanwhile.
      if (View !== null) return;
      loadMore().then(
        () => setArrived({ fault: null }),
        (fault: unknown) => setArrived({ fault: fault ?? new Error("a view did not load") }),
      );
    }, []);
    if (arrived !== null && arrived.fault !== null) throw arrived.fault;
    if (View !== null) return <View {...props} />;
    return (
      <>
        {PAGES.has(name) && <main class="pane stack relative" id="content" />}
        <span hidden data-loading />
      </>
    );
  };
}

const views: Record<string, ComponentType> = {};

/** Every view of the later part by its name, as one component for good. */
// The compiler does not see that a view takes its own props.
export const more = new Proxy(views, {
  get: (made, name: string) => (made[name] ??= lateView(name)),
}) as unknown as {
  readonly [Name in keyof Later]: (props: PropsOf<Later[Name]>) => JSX.Element;
};
