import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure, failure_of, is_called_off } from './failure';
import { has_expired } from './session';

/** Milliseconds between two looks at the numbers of a screen. */
const pace = 3000;

export interface Live<T> {
  /** What was read last; it stays when a later reading fails. */
  data: T | undefined;
  /** Why the last reading failed. */
  failure: Failure | undefined;
  /** Whether data belongs to what was asked for before. */
  is_stale: boolean;
  /** Reads at once, after a change that the page made. */
  refresh: () => void;
}

/**
 * Reads what a screen shows, again and again while it is looked at. `read` gets
 * what it returned before; all that it returns is shown at once.
 */
export function use_live<T>(
  key: string,
  read: (signal: AbortSignal, before: T | undefined) => Promise<T>,
): Live<T> {
  const [state, set_state] = useState<{
    key?: string; data?: T; failure?: Failure;
  }>({});
  const latest = useRef(read);
  latest.current = read;
  const refresh = useRef(() => {});

  useEffect(() => {
    let has_ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running: AbortController | undefined;
    let before: T | undefined;
    let failures = 0;

    const look = async (): Promise<void> => {
      clearTimeout(timer);
      if (has_ended || document.hidden) return;
      running?.abort();
      const mine = new AbortController();
      running = mine;
      let wait = pace;
      try {
        const data = await latest.current(mine.signal, before);
        if (has_ended || running !== mine) return;
        before = data;
        failures = 0;
        set_state((x) => (x.key === key && !x.failure && same(x.data, data)
          ? x : { key, data }));
      } catch (e) {
        if (has_ended || running !== mine || is_called_off(e)) return;
        const failure = failure_of(e);
        wait = Math.max(pace * Math.min(2 ** failures++, 2),
                        failure.retry_after * 1000);
        set_state((x) => ({
          ...(x.key === undefined ? {} : { key: x.key }),
          ...(x.data === undefined ? {} : { data: x.data }),
          failure,
        }));
      }
      timer = setTimeout(look, wait);
    };

    refresh.current = () => void look();
    const on_show = (): void => {
      if (!document.hidden) void look();
    };
    document.addEventListener('visibilitychange', on_show);
    addEventListener('online', on_show);
    const unwatch = has_expired.watch((x) => { if (!x) void look(); });
    void look();
    return () => {
      has_ended = true;
      clearTimeout(timer);
      running?.abort();
      document.removeEventListener('visibilitychange', on_show);
      removeEventListener('online', on_show);
      unwatch();
    };
  }, [key]);

  return {
    data: state.data,
    failure: state.failure,
    is_stale: state.data !== undefined && state.key !== key,
    refresh: () => refresh.current(),
  };
}

export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Runs a job for each item, a few at a time; keeps the order. */
export async function map_few<T, R>(items: readonly T[], few: number,
                                    job: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const i = next++;
      results[i] = await job(items[i]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(few, items.length) }, worker));
  return results;
}
