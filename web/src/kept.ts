/** What this tab keeps for itself over a reload; nothing where the browser does not let it. */

/** Whether it was kept: not in sandboxes, nor if it is larger than the browser's store. */
export function keep(name: string, value: unknown): boolean {
  try {
    sessionStorage.setItem(`verger.${name}`, JSON.stringify(value));
    return true;
  } catch {
    return false;
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
