import { useEffect, useState } from 'preact/hooks';

// What was typed into a form outlives a reload, a lost connection and a way to
// another page; it ends with the tab, and when it was sent.

const prefix = 'turnout-draft:';

function read<T>(name: string): T | undefined {
  try {
    const text = sessionStorage.getItem(prefix + name);
    return text === null ? undefined : JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

function write(name: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(prefix + name);
    else sessionStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Without storage it lives as long as the page.
  }
}

/** Ends all drafts, as the next one to sign in may be somebody else. */
export function forget_drafts(): void {
  try {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(prefix)) sessionStorage.removeItem(name);
  } catch {
    // nop
  }
}

export interface Draft<T> {
  value: T;
  change: (changes: Partial<T>) => void;
  /** Whether it was found again. */
  was_kept: boolean;
  /** Ends it: back to how the form started, or to something else. */
  forget: (next?: T) => void;
}

export function use_draft<T extends object>(name: string, start: T): Draft<T> {
  const [kept] = useState(() => read<T>(name));
  const [value, set_value] = useState<T>(kept ?? start);
  const [is_changed, set_changed] = useState(kept !== undefined);
  useEffect(() => {
    if (is_changed) write(name, value);
  }, [value, is_changed]);
  return {
    value,
    change: (changes) => {
      set_changed(true);
      set_value((x) => ({ ...x, ...changes }));
    },
    was_kept: kept !== undefined && is_changed,
    forget: (next = start) => {
      write(name, undefined);
      set_changed(false);
      set_value(next);
    },
  };
}
