declare module "#crawlers" {
  import type { Crawler, Source } from "./crawlers.js";
  import type { Use } from "./values.js";

  const registry: {
    readonly purposes: Record<string, string>;
    readonly uses: Record<Use, string>;
    readonly usual: Partial<Crawler>;
    readonly sources: Record<string, Source>;
    readonly crawlers: readonly Partial<Crawler>[];
  };
  export default registry;
}
