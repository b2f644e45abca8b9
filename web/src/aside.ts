/** Questions of which none is lost to a newer one: they wait for each other, and each has its answer. */

import type { Analyst, Listener } from "./analyst";
import type { Answers, Asked } from "./core";

interface Waiting {
  resolve: (answered: never) => void;
  reject: (error: Error) => void;
}

export class Aside {
  readonly #analyst: Analyst;
  #last: Promise<unknown> = Promise.resolve();
  #waiting: Waiting | null = null;

  constructor(start: (listener: Listener) => Analyst) {
    this.#analyst = start({
      known: () => {},
      answered: (answered) => this.#waiting?.resolve(answered as never),
      failed: (_, why) => this.#waiting?.reject(new Error(why)),
    });
  }

  ask<A extends Asked>(asked: A): Promise<Answers[A["kind"]]> {
    const turn = this.#last.then(
      () =>
        new Promise<Answers[A["kind"]]>((resolve, reject) => {
          this.#waiting = { resolve, reject };
          this.#analyst.ask(asked);
        }),
    );
    this.#last = turn.catch(() => {});
    return turn;
  }
}
