/** A component that is drawn again only when a property changed. */

import { Component, type ComponentType, type FunctionComponent, h } from "preact";

export function memo<P extends object>(Inner: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const names = Object.keys(next) as (keyof P)[];
      return names.some(
        (name) => typeof next[name] !== "function" && next[name] !== this.props[name],
      );
    }

    override render() {
      return h(Inner, this.props as P & preact.Attributes);
    }
  };
}
