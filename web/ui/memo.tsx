import { Component, type ComponentType, type JSX } from "preact";

/** A view that is drawn again only when one of its properties is another object or value. */
export function memo<P extends object>(View: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const keys = Object.keys(next) as (keyof P)[];
      return keys.some((key) => next[key] !== this.props[key]);
    }
    override render(): JSX.Element {
      return <View {...this.props} />;
    }
  };
}
