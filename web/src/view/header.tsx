/** The head of the page: the dialect, files, history, sharing, the theme. */

import type { Page } from "../page";
import type { Theme } from "../state";
import { Button, type IconName } from "./bits";

const THEMES: { theme: Theme; icon: IconName; next: Theme }[] = [
  { theme: "system", icon: "half", next: "light" },
  { theme: "light", icon: "sun", next: "dark" },
  { theme: "dark", icon: "moon", next: "system" },
];

const DIALECT = "Crawlers differ in how they read a file; a dialect is one way to read it. This one:";

export function Header({ page }: { page: Page }) {
  const { known, canUndo, canRedo, theme } = page.shown;
  const { dialect } = page.asked;
  const now = THEMES.find((each) => each.theme === theme) ?? THEMES[0]!;
  const title = known?.dialects.find((each) => each.name === dialect)?.title;
  return (
    <header class="head">
      <h1>
        <span class="name">verger</span> <span class="what">robots.txt tester</span>
      </h1>
      <label class="dialect" title={`${DIALECT} ${title ?? ""}`}>
        <span>Dialect</span>
        <select
          value={dialect}
          onChange={({ currentTarget }) => page.setDialect(currentTarget.value)}
        >
          {(known?.dialects ?? [{ name: dialect, title: "" }]).map(({ name }) => (
            <option value={name}>{name}</option>
          ))}
        </select>
      </label>
      <div class="actions">
        <Button icon="undo" label="Undo" quiet onClick={() => page.undo()} disabled={!canUndo} />
        <Button icon="redo" label="Redo" quiet onClick={() => page.redo()} disabled={!canRedo} />
        <span class="gap" />
        <Button icon="open" label="Open" onClick={() => page.open()} />
        <Button icon="export" label="Export" onClick={() => page.store.set({ dialog: "export" })} />
        <Button icon="share" label="Share" onClick={() => void page.share()} />
        <Button
          icon="terminal"
          label="Commands"
          onClick={() => page.store.set({ dialog: "commands" })}
        />
        <Button
          icon={now.icon}
          label="Theme"
          hint={`Theme: ${theme}`}
          quiet
          onClick={() => page.setTheme(now.next)}
        />
      </div>
    </header>
  );
}
