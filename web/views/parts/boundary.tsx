import { Component, type ComponentChildren, type JSX, type ComponentType } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/notice.tsx";
import { common } from "../../words/common.ts";
import { useEffect, useRef } from "preact/hooks";
import { agentHash, paneHash } from "../../state/browser/router.ts";
import { type Later, whole } from "../../state/later.ts";
import { usePane } from "./derived.ts";
import { InnerLink } from "./links.tsx";
import { TerminalText } from "./text.tsx";

interface FailedState {
  /** The later part as it was then, null before it had come. */
  readonly failedWith?: Later | null | undefined;
}

/**
 * A fault of its children ends here. Without `instead` nothing is drawn in their place. They are drawn
 * again once the later part has come, which they may have missed.
 */
export class Boundary extends Component<
  {
    readonly children: ComponentChildren;
    readonly instead?: (retry: () => void) => JSX.Element;
  },
  FailedState
> {
  override state: FailedState = {};
  readonly #retry = (): void => this.setState({ failedWith: undefined });

  static override getDerivedStateFromError(): FailedState {
    return { failedWith: whole.peek() };
  }

  override componentDidCatch(fault: unknown): void {
    // For developers: `instead` tells the reader.
    console.warn(fault);
  }

  override render(): ComponentChildren {
    const { children, instead } = this.props;
    return this.state.failedWith === whole.value ? (instead?.(this.#retry) ?? null) : children;
  }
}

export function FailureNotice(props: {
  readonly onRetry: () => void;
  /** Empty where nothing stands beside it. */
  readonly rest?: string;
}): JSX.Element {
  const { onRetry, rest = "The rest of the page goes on. " } = props;
  const { shell } = useBrowser();
  return (
    <Empty title={common.notShown} text={`${rest}Nothing was sent.`} isBrief role="alert">
      <Button onClick={onRetry}>{common.retry}</Button>
      <Button onClick={() => void shell.applyUpdate()}>Reload the page</Button>
    </Empty>
  );
}

interface Subject {
  readonly paneId?: string | null;
  readonly agentId?: string | null;
}

type Wrapper = "li" | "article" | "div";

/** A row, a card or a block with its own boundary, redrawn only when one of its properties is another. */
export function withBoundary<P extends object>(
  as: Wrapper,
  View: ComponentType<P>,
  subjectOf: (props: P) => Subject = () => ({}),
): ComponentType<P> {
  return class WithBoundary extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = Object.keys(next) as (keyof P)[];
      return keys.some((key) => next[key] !== this.props[key]);
    }
    override render(): JSX.Element {
      const { props } = this;
      const instead = (retry: () => void) => (
        <FailedRow as={as} {...subjectOf(props)} retry={retry} />
      );
      return (
        <Boundary instead={instead}>
          <View {...props} />
        </Boundary>
      );
    }
  };
}

/** A link to the pane or agent that could not be drawn; tries again once that pane has changed. */
function FailedRow(
  props: Subject & { readonly as: Wrapper; readonly retry: () => void },
): JSX.Element {
  const { as: Wrapper, paneId = null, agentId = null, retry } = props;
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
    <Wrapper class={Wrapper === "li" ? "row-item" : "card"}>
      {paneId === null && agentId === null ? (
        <div class="row">{parts}</div>
      ) : (
        <InnerLink class="row" hash={hash} row={paneId ?? agentId ?? ""}>
          {parts}
        </InnerLink>
      )}
    </Wrapper>
  );
}
