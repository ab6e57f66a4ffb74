import { useEffect, useState } from 'preact/hooks';

/** A value that several parts of the page look at. */
export class Store<T> {
  #value: T;
  readonly #watchers = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of [...this.#watchers]) watcher(value);
  }

  watch(watcher: (value: T) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

/** Returns the value and draws the component again when it changes. */
export function use_store<T>(store: Store<T>): T {
  const [value, set_value] = useState(() => store.value);
  useEffect(() => {
    // It may have changed between the drawing and now.
    set_value(() => store.value);
    return store.watch((x) => set_value(() => x));
  }, [store]);
  return value;
}
