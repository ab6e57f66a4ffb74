import { useEffect, useState } from 'preact/hooks';
import { api_base } from '../addresses';
import { api, type Key, type Schemas } from '../api';
import { failure_of } from '../failure';
import { ago, count, time, time_of_day, zone } from '../format';
import { use_live } from '../live';
import { use_trouble } from '../session';
import { Button, Card, FailureNote, Heading, Loading, Scroller, Text }
  from '../ui/basic';
import { Code } from '../ui/copy';
import { Confirm } from '../ui/dialog';
import { Choices, Input } from '../ui/field';
import { tell } from '../ui/toast';

interface Screen {
  keys: Key[];
  limit: Schemas['RateLimit'];
}

async function read_screen(signal: AbortSignal): Promise<Screen> {
  const [{ keys }, limit]
    = await Promise.all([api.keys(signal), api.rate_limit(signal)]);
  return { keys, limit };
}

function Meter({ limit }: { limit: Schemas['RateLimit'] }) {
  const used = limit.limit - limit.remaining;
  const share = limit.limit ? used / limit.limit : 1;
  return (
    <Card title="Requests in this hour">
      <div class={`meter${share >= 0.9 ? ' high' : ''}`}>
        <p>
          <span class="figure">{count(used)}</span> of {count(limit.limit)}
        </p>
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img"
             aria-label={`${count(used)} of ${count(limit.limit)} requests used`}>
          <rect class="track" width="100" height="6" />
          <rect class="fill" width={Math.min(share, 1) * 100} height="6" />
        </svg>
        <p class="hint">
          Shared by all keys and by what is changed on these pages. It starts anew
          at {time_of_day(Date.parse(limit.reset_at))} ({zone}). Visits of short links
          do not count, nor does looking at these pages.
        </p>
      </div>
    </Card>
  );
}

const types = [
  ['secret', 'Secret', 'Reads and writes. For your servers only.'],
  ['publishable', 'Publishable',
   'Only reads. May be where others can see it.'],
] as const;

type Made = Schemas['CreatedKey'];

function NewKey({ keys, refresh }: { keys: Key[]; refresh: () => void }) {
  const [name, set_name] = useState('');
  const [type, set_type] = useState<'secret' | 'publishable'>('secret');
  const [made, set_made] = useState<Made>();
  const [trouble, set_trouble] = use_trouble();
  const [is_busy, set_busy] = useState(false);
  // Nobody needs one that was revoked since it was seen among the keys.
  const [was_seen, set_seen] = useState(false);
  const is_there = made !== undefined && keys.some((x) => x.id === made.id);
  useEffect(() => {
    if (is_there) set_seen(true);
    else if (was_seen) set_made(undefined);
  }, [is_there]);
  const create = async (): Promise<void> => {
    set_busy(true);
    set_trouble('');
    try {
      set_made(await api.create_key(name, type));
      set_seen(false);
      set_name('');
      refresh();
    } catch (e) {
      const text = failure_of(e).message;
      set_trouble(text === 'field required: name'
        ? 'Give the key a name.'
        : text.charAt(0).toUpperCase() + text.slice(1));
    }
    set_busy(false);
  };
  return (
    <Card title="New key">
      <p class="hint">
        For programs that make links or report conversions. These pages need none.
      </p>
      {made && (
        <div class="made" role="status">
          <p>
            <strong>Copy “<Text>{made.name}</Text>” now.</strong> It is shown only
            this once; nobody can read it again.
          </p>
          <Code text={made.key} what="API key" />
          <Button onClick={() => set_made(undefined)}>I have stored it</Button>
        </div>
      )}
      <form class="key-form" noValidate onSubmit={(e) => {
        e.preventDefault();
        if (!is_busy) void create();
      }}>
        <Input label="Name" value={name} set={set_name} autocomplete="off"
               placeholder="Shop backend" error={trouble || undefined}
               hint="To tell keys apart later." />
        <Choices legend="Kind" name="type" choices={types} value={type}
                 set={set_type} />
        <Button kind="primary" type="submit" is_busy={is_busy}>
          {is_busy ? 'Creating…' : 'Create key'}
        </Button>
      </form>
    </Card>
  );
}

function KeyRow({ item, refresh }: { item: Key; refresh: () => void }) {
  const [is_asking, set_asking] = useState(false);
  return (
    <tr>
      <th scope="row"><Text>{item.name}</Text></th>
      <td data-label="Starts with"><code>{item.key_prefix}…</code></td>
      <td data-label="May">
        {item.key_prefix.startsWith('svc_pk_') ? 'Read' : 'Read and write'}
      </td>
      <td data-label="Last used"
          title={item.last_used_at ? time(item.last_used_at) : ''}>
        {item.last_used_at ? ago(item.last_used_at) : 'Never'}
      </td>
      <td data-label="Created">{time(item.created_at)}</td>
      <td class="actions">
        <Button onClick={() => set_asking(true)}>
          Revoke<span class="unseen"> {item.name}</span>
        </Button>
        {is_asking && (
          <Confirm title="Revoke this key?" action="Revoke key" is_danger
                   on_close={() => set_asking(false)}
                   run={async () => {
                     await api.revoke_key(item.id);
                     set_asking(false);
                     tell(`“${item.name}” is revoked.`);
                     refresh();
                   }}>
            <p>
              Whatever uses <strong><Text>{item.name}</Text></strong> (
              <code>{item.key_prefix}…</code>) is refused from the next request on.
              This cannot be undone.
            </p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}

/** The API keys of the account. */
export function Keys() {
  const { data, failure, refresh } = use_live<Screen>('keys', read_screen);
  return (
    <main id="main">
      <header class="page-head"><Heading>API keys</Heading></header>
      {data ? <FailureNote failure={failure} /> : <Loading failure={failure} />}
      {data && (
        <>
          <div class="grid">
            <NewKey keys={data.keys} refresh={refresh} />
            <Meter limit={data.limit} />
          </div>
          <Card title="Active keys">
            {data.keys.length === 0 ? (
              <>
                <p class="empty-line">
                  No key yet. This page needs none; programs do. Create one above,
                  then try:
                </p>
                <Code what="command that lists links"
                      text={`curl ${api_base}/public/links -H 'X-API-Key: svc_sk_...'`} />
              </>
            ) : (
              <Scroller label="Active keys">
                <table class="keys">
                  <thead>
                    <tr>
                      <th scope="col">Name</th>
                      <th scope="col">Starts with</th>
                      <th scope="col">May</th>
                      <th scope="col">Last used</th>
                      <th scope="col">Created ({zone})</th>
                      <th scope="col"><span class="unseen">Actions</span></th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.keys.map((x) => (
                      <KeyRow key={x.id} item={x} refresh={refresh} />
                    ))}
                  </tbody>
                </table>
              </Scroller>
            )}
          </Card>
        </>
      )}
    </main>
  );
}
