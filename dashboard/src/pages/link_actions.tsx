import { useState } from 'preact/hooks';
import { api, type Link, type LinkSummary } from '../api';
import { failure_of } from '../failure';
import { Store } from '../store';
import { Text } from '../ui/basic';
import { Confirm } from '../ui/dialog';
import { tell, time_to_undo } from '../ui/toast';

type Named = Pick<Link | LinkSummary, 'id' | 'name' | 'slug' | 'is_active'>;

/** Links that are about to be deleted, while it can be undone. */
export const leaving = new Store<ReadonlySet<string>>(new Set());

/** Pauses a link, or lets it go on. */
async function switch_link(link: Named): Promise<void> {
  try {
    await api.update_link(link.id, { is_active: !link.is_active });
    tell(link.is_active ? `“${link.name}” is paused: visitors get “not found”.`
                        : `“${link.name}” is live again.`);
  } catch (e) {
    tell(failure_of(e).message);
  }
}

/** Returns what pauses a link or lets it go on, and whether that is under way. */
export function use_switch(link: Named,
                           after: () => void): [() => Promise<void>, boolean] {
  const [is_busy, set_busy] = useState(false);
  return [async () => {
    set_busy(true);
    await switch_link(link);
    set_busy(false);
    after();
  }, is_busy];
}

function mark(id: string, is_leaving: boolean): void {
  const next = new Set(leaving.value);
  if (is_leaving) next.add(id);
  else next.delete(id);
  leaving.set(next);
}

const seconds = time_to_undo / 1000;

/** Deletes a link after some seconds in which it can be undone. */
function delete_soon(link: Named, after: () => void): void {
  const remove = async (keepalive = false): Promise<void> => {
    stop();
    try {
      await api.delete_link(link.id, keepalive);
      after();
    } catch (e) {
      tell(`“${link.name}” was not deleted. ${failure_of(e).message}`);
    }
    mark(link.id, false);
  };
  // Who leaves the page does not mean to undo it.
  const on_leave = (): void => void remove(true);
  const timer = setTimeout(() => void remove(), time_to_undo);
  const stop = (): void => {
    clearTimeout(timer);
    removeEventListener('pagehide', on_leave);
    forget();
  };
  addEventListener('pagehide', on_leave);
  mark(link.id, true);
  const forget = tell(`“${link.name}” is deleted in ${seconds} seconds. Until then it `
                      + 'works.', {
    label: 'Undo',
    run: () => {
      stop();
      mark(link.id, false);
    },
  }, time_to_undo);
}

interface DeleteProps {
  link: Named;
  on_close: () => void;
  /** Called when it is gone. */
  after?: () => void;
}

/** Asks whether a link shall be deleted. */
export function DeleteLink({ link, on_close, after }: DeleteProps) {
  return (
    <Confirm title="Delete this link?" action="Delete link" is_danger
             on_close={on_close}
             run={async () => {
               on_close();
               delete_soon(link, after ?? (() => {}));
             }}>
      <p>
        <strong><Text>{link.name}</Text></strong> goes on working for {seconds}{' '}
        seconds, in which you can undo this. Then visitors of{' '}
        <code>/{link.slug}</code> get “not found”, and its numbers cannot be seen
        here any more. The short address stays taken.
      </p>
      {link.is_active && <p>To stop it for a while, pause it instead.</p>}
    </Confirm>
  );
}
