/** What this tab keeps for itself over a reload; nothing where the browser does not let it. */

export function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(`verger.${name}`, JSON.stringify(value));
  } catch {
    // Private windows, sandboxes, or a full store: the page works without it.
  }
}

export function kept<T>(name: string): T | null {
  try {
    const text = sessionStorage.getItem(`verger.${name}`);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}
