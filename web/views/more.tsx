// `<more.PaneScreen />` is a view of the later part, drawn once its code and its style sheet are loaded.
import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Later, loadWhole, whole } from "../state/later.ts";
import { Skeletons } from "../ui/notice.tsx";
import { Boundary, FailureNotice } from "./parts/boundary.tsx";

type PropsOf<View> = View extends (props: infer Props) => unknown ? Props & object : never;

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
    const [fault, setFault] = useState<unknown>(null);
    const View: ComponentType | null = Reflect.get(whole.value ?? {}, name) ?? null;
    useEffect(() => {
      if (View === null) loadWhole().catch(setFault);
    }, []);
    if (View !== null) return <View {...props} />;
    if (fault !== null) throw fault;
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

/** The same with a boundary of their own. */
const bounded = (instead?: (retry: () => void) => JSX.Element) =>
  viewsBy((name) => {
    const View = lateView(name);
    return (props) => (
      <Boundary {...(instead && { instead })}>
        <View {...props} />
      </Boundary>
    );
  });

/** What a page can do without: where it fails, nothing stands in its place. */
export const optional = bounded();

/** What must not be missing unsaid. */
export const noticed = bounded((retry) => <FailureNotice onRetry={retry} />);
