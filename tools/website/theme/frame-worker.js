// Search in pages that are opened from a folder: browsers start no worker there, so that its script
// runs in a frame. Pages of a server keep the worker of the browser.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html><title>search</title>";
      this.ready = new Promise((start) => {
        this.frame.addEventListener("load", () => this.load(url, start), { once: true });
      });
      document.documentElement.append(this.frame);
    }

    load(url, start) {
      const scope = this.frame.contentWindow;
      const script = scope.document.createElement("script");
      scope.postMessage = (data) => this.deliver(this, data);
      script.src = new URL(url, location);
      script.onload = start;
      scope.document.body.append(script);
    }

    postMessage(data) {
      this.ready.then(() => this.deliver(this.frame.contentWindow, data));
    }

    // As between a page and its worker: later, and a copy.
    deliver(target, data) {
      const message = new MessageEvent("message", { data: structuredClone(data) });
      setTimeout(() => {
        if (target === this) this.onmessage?.(message);
        target.dispatchEvent(message);
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
