import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Filled in by the build: the address of the looks of everything that is loaded later. */
declare const LATER_STYLES: string;

/**
 * A view whose code comes when it is first drawn, and then stays. Until then `meanwhile` is drawn, or
 * nothing, with a mark (`data-loading`); what cannot be loaded is thrown to the boundary around it, whose Retry begins anew.
 */
function lazyView<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  meanwhile: () => JSX.Element | null = () => null,
): (props: Props) => JSX.Element {
  let view: ComponentType<Props> | null = null;
  return function LazyView(props) {
    const [arrived, setArrived] = useState<{ readonly fault: unknown } | null>(null);
    const View = view;
    useEffect(() => {
      // What was drawn without it is drawn again, also where it has come for another meanwhile.
      if (View !== null) return;
      load().then(
        (loaded) => {
          view = loaded;
          setArrived({ fault: null });
        },
        (fault: unknown) => setArrived({ fault: fault ?? new Error("a view did not load") }),
      );
    }, []);
    if (arrived !== null && arrived.fault !== null) throw arrived.fault;
    if (View !== null) return <View {...props} />;
    return (
      <>
        {meanwhile()}
        <span hidden data-loading />
      </>
    );
  };
}

/** Code that is no view: null until it has come, and asked for again where it did not. */
export function laterCode<T>(load: () => Promise<T>): {
  readonly load: () => Promise<T>;
  readonly current: () => T | null;
} {
  let code: T | null = null;
  return {
    load: shared(async () => (code = await load())),
    current: () => code,
  };
}

/** Makes lazy views of a part by their names; their looks come later as well: nothing may flash without them. */
export function laterViews<Part extends object>(loadPart: () => Promise<Part>) {
  return <Name extends keyof Part>(
    name: Name,
    meanwhile?: () => JSX.Element | null,
  ): ((props: PropsOf<Part[Name]>) => JSX.Element) =>
    lazyView(async () => {
      const [part] = await Promise.all([loadPart(), loadStyles()]);
      // The compiler does not see that a view takes its own props.
      return part[name] as ComponentType<PropsOf<Part[Name]>>;
    }, meanwhile);
}

type PropsOf<View> = View extends (props: infer Props) => unknown ? Props & object : never;

/** The looks of what comes later: asked for once, however many views wait for it; again when it did not come. */
export const loadStyles = shared(
  () =>
    new Promise<void>((resolve, reject) => {
      const link = document.createElement("link");
      link.onload = () => resolve();
      link.onerror = () => {
        link.remove();
        reject(new Error("the looks of a view did not load"));
      };
      link.rel = "stylesheet";
      link.href = LATER_STYLES;
      document.head.append(link);
    }),
);

function shared<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((fault: unknown) => {
      loading = null;
      throw fault;
    });
    return loading;
  };
}
