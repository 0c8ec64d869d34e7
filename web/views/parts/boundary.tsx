import { Component, type ComponentChildren, type JSX, type ComponentType } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { agentHash, paneHash } from "../../state/browser/router.ts";
import { usePane } from "./derived.ts";
import { InnerLink } from "./links.tsx";
import { TerminalText } from "./text.tsx";

/** A part of the page whose faults end in it: the rest goes on. */
abstract class Bounded<P> extends Component<P, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };
  /** Draws it anew. */
  protected readonly retry = (): void => this.setState({ hasFailed: false });

  static override getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override componentDidCatch(fault: unknown): void {
    // For who looks into it: a person is told in words by what stands instead.
    console.warn(fault);
  }
}

/** Without `instead` nothing stands in the place of what throws. */
export class Boundary extends Bounded<{
  readonly children: ComponentChildren;
  readonly instead?: (retry: () => void) => JSX.Element;
}> {
  override render(): ComponentChildren {
    const { children, instead } = this.props;
    return this.state.hasFailed ? (instead?.(this.retry) ?? null) : children;
  }
}

/** Says that a part of the page could not be shown, and what can be done. */
export function FailureNotice({ onRetry }: { readonly onRetry: () => void }): JSX.Element {
  const { shell } = useBrowser();
  return (
    <div class="empty brief" role="alert">
      <h2>{common.notShown}</h2>
      <p>The rest of the page goes on. Nothing was sent.</p>
      <Button onClick={onRetry}>{common.retry}</Button>
      <Button onClick={() => void shell.applyUpdate()}>Reload the page</Button>
    </div>
  );
}

interface Whose {
  readonly paneId?: string | null;
  readonly agentId?: string | null;
}

/** Whether one of the properties is another object or value. */
function differs<P extends object>(before: P, next: P): boolean {
  const keys = Object.keys(next) as (keyof P)[];
  return keys.some((key) => next[key] !== before[key]);
}

type Place = "li" | "article" | "div";

/**
 * A row, a card or a block whose faults end in it: it says so in its place, and its list stays. It is drawn again
 * only when one of its properties is another one.
 */
export function withBoundary<P extends object>(
  as: Place,
  View: ComponentType<P>,
  whose: (props: P) => Whose = () => ({}),
): ComponentType<P> {
  return class Apart extends Bounded<P> {
    override shouldComponentUpdate(
      next: Readonly<P>,
      { hasFailed }: { hasFailed: boolean },
    ): boolean {
      return hasFailed !== this.state.hasFailed || differs(this.props, next);
    }
    override render(): JSX.Element {
      const { props, retry } = this;
      if (this.state.hasFailed) return <NotShown as={as} {...whose(props)} retry={retry} />;
      return <View {...props} />;
    }
  };
}

/** Leads to what could not be drawn, and draws it anew once its pane has changed. */
function NotShown(props: Whose & { readonly as: Place; readonly retry: () => void }): JSX.Element {
  const { as: Place, paneId = null, agentId = null, retry } = props;
  const pane = usePane(paneId ?? "").value;
  const failed = useRef(pane);
  useEffect(() => {
    if (failed.current !== pane) retry();
  }, [pane]);
  const parts = (
    <span class="grow stack">
      <TerminalText text={pane?.name ?? ""} class="truncate bold" />
      <span class="fs-13 text-2">{common.notShown}</span>
    </span>
  );
  const hash = paneId === null ? agentHash(agentId ?? "") : paneHash(paneId);
  return (
    <Place class={Place === "li" ? "row-item" : "card"}>
      {paneId === null && agentId === null ? (
        <div class="row">{parts}</div>
      ) : (
        <InnerLink class="row" hash={hash} row={paneId ?? agentId ?? ""}>
          {parts}
        </InnerLink>
      )}
    </Place>
  );
}

const SHOWN_AFTER_MS = 300;

/** Two empty cards, only when the first answer is slow. */
export function Skeletons(): JSX.Element | null {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <div role="status" aria-label="Loading">
      {[0, 1].map((i) => (
        <div key={i} class="card skeleton grid gap-12" aria-hidden="true">
          <i class="bone short" />
          <i class="bone tall" />
          <i class="bone" />
          <i class="bone tall" />
          <i class="bone tall" />
        </div>
      ))}
    </div>
  );
}
