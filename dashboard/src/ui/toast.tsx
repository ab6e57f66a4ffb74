import { Store, use_store } from '../store';
import { Button } from './basic';

interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

const toasts = new Store<Toast[]>([]);
let last = 0;

function drop(id: number): void {
  toasts.set(toasts.value.filter((x) => x.id !== id));
}

/** Tells what was done, for a while; returns a function that ends it. */
export function tell(text: string, action?: Toast['action'],
                     milliseconds = 6000): () => void {
  const id = ++last;
  toasts.set([...toasts.value, { id, text, ...(action ? { action } : {}) }]);
  setTimeout(() => drop(id), milliseconds);
  return () => drop(id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {use_store(toasts).map(({ id, text, action }) => (
        <div class="toast" key={id}>
          <bdi>{text}</bdi>
          {action && (
            <Button kind="quiet" onClick={() => { drop(id); action.run(); }}>
              {action.label}
            </Button>
          )}
        </div>
      ))}
    </div>
  );
}
