import { useEffect, useRef } from 'preact/hooks';
import { session_ended } from '../failure';
import { has_expired } from '../session';
import { Store, use_store } from '../store';
import { Button } from './basic';
import { keep_focus } from './focus';

interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

/** So long can be undone what can be undone. */
export const time_to_undo = 15_000;

const toasts = new Store<Toast[]>([]);
let last = 0;

function drop(id: number): void {
  toasts.set(toasts.value.filter((x) => x.id !== id));
}

/** Tells what was done, for a while; returns a function that ends it. */
export function tell(text: string, action?: Toast['action'],
                     milliseconds = 6000): () => void {
  const id = ++last;
  // What was told before may not be so any more; what can be undone still can.
  toasts.set([...toasts.value.filter((x) => x.action),
              { id, text, ...(action ? { action } : {}) }]);
  setTimeout(() => drop(id), milliseconds);
  return () => drop(id);
}

// What failed for want of a session is over when there is one.
has_expired.watch((x) => {
  if (!x) toasts.set(toasts.value.filter((y) => !y.text.includes(session_ended)));
});

/** What can be undone; it has the focus at once, as it goes away by itself. */
function Undo({ id, action }: { id: number; action: NonNullable<Toast['action']> }) {
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const give_back = keep_focus();
    const element = box.current;
    element?.querySelector('button')?.focus({ preventScroll: true });
    return () => {
      const at = document.activeElement;
      if (at === document.body || element?.contains(at)) give_back();
    };
  }, []);
  return (
    <span ref={box}>
      <Button kind="quiet" onClick={() => { drop(id); action.run(); }}>
        {action.label}
      </Button>
    </span>
  );
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {use_store(toasts).map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <bdi>{text}</bdi>
          {action && <Undo id={id} action={action} />}
        </div>
      ))}
    </div>
  );
}
