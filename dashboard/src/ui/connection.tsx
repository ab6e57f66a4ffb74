import { connection, last_answer } from '../connection';
import { time_of_day } from '../format';
import { use_store } from '../store';

/** Says when what is shown may be old. */
export function ConnectionBar() {
  const state = use_store(connection);
  const at = use_store(last_answer);
  const since = at ? ` What you see is of ${time_of_day(at)}.` : '';
  return (
    <div class="connection" role="status" aria-live="polite" data-state={state}>
      {state === 'slow' && 'The service is slow to answer. Still waiting…'}
      {state === 'lost'
        && `No connection to the service.${since} Nothing you typed is lost; `
           + 'trying again…'}
    </div>
  );
}
