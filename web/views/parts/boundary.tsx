import { Component, type ComponentChildren, type JSX } from "preact";
import { useBrowser } from "../../state/client.ts";
import { Button } from "../../ui/button.tsx";
import { common } from "../../words/common.ts";

interface BoundaryProps {
  readonly children: ComponentChildren;
  /** What stands in the place of a part that failed; `retry` draws the part anew. */
  readonly instead: (retry: () => void) => JSX.Element;
}

interface BoundaryState {
  readonly hasFailed: boolean;
}

/** Where a part of the page that throws ends: the rest goes on, and the part says what is missing. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false };

  static override getDerivedStateFromError(): BoundaryState {
    return { hasFailed: true };
  }

  override componentDidCatch(fault: unknown): void {
    // For who looks into it: a person is told in words by what stands instead.
    console.warn(fault);
  }

  override render(): ComponentChildren {
    const retry = () => this.setState({ hasFailed: false });
    return this.state.hasFailed ? this.props.instead(retry) : this.props.children;
  }
}

/** Says that a part of the page could not be shown, and what can be done. */
export function Failed({ onRetry }: { readonly onRetry: () => void }): JSX.Element {
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
