import { Component, type ComponentType, type JSX } from "preact";

/** Whether one of the properties is another object or value. */
export function differs<P extends object>(before: P, next: P): boolean {
  const keys = Object.keys(next) as (keyof P)[];
  return keys.some((key) => next[key] !== before[key]);
}

/** A view that is drawn again only when one of its properties is another object or value. */
export function memo<P extends object>(View: ComponentType<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return differs(this.props, next);
    }
    override render(): JSX.Element {
      return <View {...this.props} />;
    }
  };
}
