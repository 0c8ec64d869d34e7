// What comes after the first load: `soon.ts`, asked for ahead as soon as the panes are there, `rest.ts`,
// asked for with the first of it, and one style sheet. `<more.Palette />` is drawn once they have come.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Filled in by the build: the address of the looks of everything that is loaded later. */
declare const LATER_STYLES: string;

type Soon = typeof import("./soon.ts");
type Rest = typeof import("./rest.ts");
type PropsOf<View> = View extends (props: infer Props) => unknown ? Props & object : never;

const soon = part(() => import("./soon.ts"));
const rest = part(() => import("./rest.ts"));
const styles = part(loadStyles);

/** Asked for ahead where a pane will be on the screen at once, or soon. */
export const loadSoon = async (): Promise<Soon> =>
  (await Promise.all([soon.load(), styles.load()]))[0];
/** Null until it has come. */
export const soonNow = (): Soon | null => soon.here();

/** Asked for once, however many wait for it; again where it did not come. */
function part<T>(load: () => Promise<T>): { load: () => Promise<T>; here: () => T | null } {
  let loading: Promise<T> | null = null;
  let here: T | null = null;
  return {
    here: () => here,
    load: () =>
      (loading ??= load().then(
        (loaded) => (here = loaded),
        (fault: unknown) => {
          loading = null;
          throw fault;
        },
      )),
  };
}

async function loadView(name: string): Promise<void> {
  // What is in neither the compiler has refused.
  if (!(name in (await loadSoon()))) await rest.load();
}

/** Code without its looks may not be drawn. */
function viewNow(name: string): ComponentType | null {
  if (styles.here() === null) return null;
  const parts = [soon.here(), rest.here()].filter((one) => one !== null);
  return parts.map((one) => Reflect.get(one, name)).find((view) => view !== undefined) ?? null;
}

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
  "QueueBeside",
  "QueuePass",
  "RecordPage",
]);

/**
 * A view of the late part. Until it has come nothing is drawn, with a mark (`data-loading`); what cannot
 * be loaded is thrown to the boundary around it, whose Retry begins anew.
 */
function lateView(name: string): (props: object) => JSX.Element {
  return function LateView(props) {
    const [arrived, setArrived] = useState<{ readonly fault: unknown } | null>(null);
    const View = viewNow(name);
    useEffect(() => {
      // What was drawn without it is drawn again, also where it has come for another meanwhile.
      if (View !== null) return;
      loadView(name).then(
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

/** Every view of the late part by its name, as one component for good. */
// The compiler does not see that a view takes its own props.
export const more = new Proxy(views, {
  get: (made, name: string) => (made[name] ??= lateView(name)),
}) as unknown as {
  readonly [Name in keyof (Soon & Rest)]: (props: PropsOf<(Soon & Rest)[Name]>) => JSX.Element;
};
