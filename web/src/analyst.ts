/**
 * A worker that answers, and its replacement when it dies or does not end.
 *
 * Of what is asked while it works, only the newest is kept. A question that stops two workers is
 * given up; the next one starts a new worker.
 */

import code from "worker:code";

import type { Answered, Asked, Known, Reply } from "./core";

export interface Listener {
  known(known: Known): void;
  /** `isLast`: whether nothing newer was asked. */
  answered(answered: Answered, asked: Asked, isLast: boolean): void;
  failed(asked: Asked, why: string): void;
}

interface Running {
  seq: number;
  asked: Asked;
  tries: number;
}

const MOST_TRIES = 2;

export class Analyst {
  #worker: Worker | null = null;
  #url: string | null = null;
  #seq = 0;
  #running: Running | null = null;
  #waiting: Asked | null = null;
  #timer = 0;

  constructor(
    private readonly core: Promise<WebAssembly.Module>,
    private readonly listener: Listener,
    /** After so many milliseconds a worker counts as gone. */
    private readonly patience: number,
  ) {}

  ask(asked: Asked): void {
    if (this.#running) this.#waiting = asked;
    else this.#send({ seq: ++this.#seq, asked, tries: 1 });
  }

  #send(running: Running): void {
    this.#running = running;
    this.#timer = window.setTimeout(() => this.#replace("it did not end"), this.patience);
    const worker = this.#started();
    void this.core.then(() => worker.postMessage({ seq: running.seq, asked: running.asked }));
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    this.#url ??= URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(this.#url);
    worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#received(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.#replace(event.message || "it stopped");
    };
    void this.core.then((core) => worker.postMessage({ core }));
    this.#worker = worker;
    return worker;
  }

  #received(reply: Reply): void {
    if ("kind" in reply) {
      this.listener.known(reply);
      return;
    }
    if (reply.seq !== this.#running?.seq) return;
    if ("failed" in reply) {
      this.#replace(reply.failed);
      return;
    }
    const { asked } = this.#running;
    const next = this.#finish();
    this.listener.answered(reply.answered, asked, next === null);
  }

  /** A worker that failed may hold anything: it goes, and another takes its question. */
  #replace(why: string): void {
    this.#worker?.terminate();
    this.#worker = null;
    const failed = this.#running;
    if (!failed) return;
    window.clearTimeout(this.#timer);
    if (!this.#waiting && failed.tries < MOST_TRIES) {
      this.#send({ ...failed, tries: failed.tries + 1 });
      return;
    }
    if (!this.#finish()) this.listener.failed(failed.asked, why);
  }

  /** Ends what is running, and begins what waits. */
  #finish(): Asked | null {
    window.clearTimeout(this.#timer);
    this.#running = null;
    const next = this.#waiting;
    this.#waiting = null;
    if (next) this.ask(next);
    return next;
  }
}
