// `<more.PaneScreen />` is a view of the later part, drawn once its code and its style sheet are loaded.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { LazyModule, later, type Later } from "../state/later.ts";
import { Skeletons } from "../ui/notice.tsx";
import { Boundary } from "./parts/boundary.tsx";

/** Filled in by the build: the address of the style sheet of the later part. */
declare const LATER_STYLES: string;

type PropsOf<View> = View extends (props: infer Props) => unknown ? Props & object : never;

const styles = new LazyModule(loadStyles);

/** Loads both: a view without its style sheet may not be drawn. */
export const loadMore = async (): Promise<Later> =>
  (await Promise.all([later.load(), styles.load()]))[0];
const moreNow = (): Later | null => styles.loaded && later.loaded;

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

/** Whole pages: their `main` is there while they load, for the skip link and the layout. */
const PAGES: ReadonlySet<string> = new Set([
  "AgentScreen",
  "Incompatible",
  "Paired",
  "PaneScreen",
  "PhonePage",
  "QueuePass",
  "RecordPage",
  "SignIn",
  "ThreeColumns",
  "TwoColumns",
]);

/** Draws `data-loading` until it is loaded. A failure is thrown to the boundary around it, which retries. */
function lateView(name: string): (props: object) => JSX.Element {
  return function LateView(props) {
    /** True once it is loaded, else why that failed. */
    const [result, setResult] = useState<unknown>(null);
    const View: ComponentType | null = Reflect.get(moreNow() ?? {}, name) ?? null;
    useEffect(() => {
      // Also where it was loaded for another view meanwhile: this one has to be drawn again.
      if (View !== null) return;
      loadMore().then(() => setResult(true), setResult);
    }, []);
    if (result !== null && result !== true) throw result;
    if (View !== null) return <View {...props} />;
    return (
      <>
        {PAGES.has(name) && (
          <main class="pane scroll" id="content">
            <Skeletons />
          </main>
        )}
        <span hidden data-loading />
      </>
    );
  };
}

/** A component for every view of the later part, by its name; each stays one and the same. */
const viewsBy = (make: (name: string) => ComponentType) =>
  // The compiler does not see that a view takes its own props.
  new Proxy<Record<string, ComponentType>>(
    {},
    { get: (cache, name: string) => (cache[name] ??= make(name)) },
  ) as unknown as {
    readonly [Name in keyof Later]: (props: PropsOf<Later[Name]>) => JSX.Element;
  };

export const more = viewsBy(lateView);

/** The same for what a page can do without: where it fails, nothing stands in its place. */
export const optional = viewsBy((name) => {
  const View = lateView(name);
  return (props) => (
    <Boundary>
      <View {...props} />
    </Boundary>
  );
});
