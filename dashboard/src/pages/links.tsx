import { useEffect, useState } from 'preact/hooks';
import { short_base, short_url, shown_url } from '../addresses';
import { api, type LinkSort, type LinkSummary } from '../api';
import { count, counted, utc_date } from '../format';
import { map_few, use_live } from '../live';
import { change_query, place } from '../router';
import { use_store } from '../store';
import { Anchor, Button, FailureNote, Heading, Loading, Pager, Scroller, Text }
  from '../ui/basic';
import { Copy } from '../ui/copy';
import { Field } from '../ui/field';
import { Icon } from '../ui/icon';
import { Sparkline } from '../ui/sparkline';
import { DeleteLink, leaving, use_switch } from './link_actions';

const per_page = 20;
const days = 14;

interface Screen {
  items: LinkSummary[];
  /** All links that the search finds. */
  total: number;
  /** What was searched for. */
  search: string;
  /** Clicks of each day, by link. */
  courses: Record<string, { clicks: number; days: number[] }>;
}

const orders: Record<LinkSort, string> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'By name',
  clicks: 'Most clicks',
  conversions: 'Most conversions',
  rate: 'Conversions per click',
};

const is_order = (x: string): x is LinkSort => Object.hasOwn(orders, x);

/** The slug of a whole short address; undefined of other texts. */
function slug_of(text: string): string | undefined {
  const plain = text.replace(/^https?:\/\//i, '');
  const own = `${shown_url(short_base)}/`;
  return plain.toLowerCase().startsWith(own.toLowerCase())
    ? plain.slice(own.length).replace(/[/?#].*$/s, '') : undefined;
}

/** What a search is for. */
function sought(text: string): string {
  // Nothing that could be found is longer.
  return [...slug_of(text) ?? text].slice(0, 200).join('');
}

async function read_screen(search: string, sort: LinkSort, page: number,
                           signal: AbortSignal,
                           before: Screen | undefined): Promise<Screen> {
  const { items, total } = await api.links(
    { page, per_page, search: sought(search), sort }, signal);
  // Who pastes an address means that link, whatever else has it in its name.
  const slug = slug_of(search);
  items.sort((x, y) => Number(y.slug === slug) - Number(x.slug === slug));
  const courses = await map_few(items, 4, async (x) => {
    // Only new clicks change it.
    const known = before?.courses[x.id];
    if (known?.clicks === x.total_clicks) return [x.id, known] as const;
    const report
      = await api.analytics(x.id, { from_date: utc_date(days - 1) }, signal)
        .catch(() => undefined);
    return [x.id, { clicks: x.total_clicks,
                    days: report?.daily_stats.map((y) => y.clicks) ?? [] }] as const;
  });
  return { items, total, search, courses: Object.fromEntries(courses) };
}

function Empty() {
  return (
    <section class="card empty">
      <svg class="empty-picture" viewBox="0 0 220 96" aria-hidden="true">
        <path d="M12 48h64c34 0 28-30 62-30h34M76 48c34 0 28 30 62 30h34" />
        <circle cx="12" cy="48" r="6" />
        <rect x="172" y="6" width="36" height="24" rx="5" />
        <rect class="best" x="172" y="66" width="36" height="24" rx="5" />
      </svg>
      <h2>Make your first split link</h2>
      <ol class="steps">
        <li>
          <strong>Name two pages.</strong> One short address sends half of its
          visitors to each.
        </li>
        <li>
          <strong>Share the address</strong> in a mail, an ad or a post, and put
          one line on the page that visitors reach when they buy or sign up.
        </li>
        <li>
          <strong>Wait for the answer.</strong> Turnout tells you which page wins
          and how sure that is. Then send everybody there.
        </li>
      </ol>
      <Anchor to="/links/new" class="button primary">
        <Icon name="plus" />Create a link
      </Anchor>
    </section>
  );
}

function Row({ link, course, is_leaving, refresh }: {
  link: LinkSummary;
  course: number[] | undefined;
  is_leaving: boolean;
  refresh: () => void;
}) {
  const [is_asking, set_asking] = useState(false);
  const [toggle, is_busy] = use_switch(link, refresh);
  const url = short_url(link.slug);
  // Pages for countries do not compete.
  const has_leader = link.total_conversions > 0 && link.routing_type !== 'geo';
  return (
    <tr class={is_leaving ? 'is-leaving' : ''}>
      <th scope="row">
        <Anchor to={`/links/${link.id}`} class="name"><Text>{link.name}</Text></Anchor>
        <span class="address">
          <span class="url">{shown_url(url)}</span>
          <Copy text={url} what={`address of ${link.name}`} />
        </span>
      </th>
      <td class="state" data-label="State">
        <span class={`pill ${link.is_active ? 'good' : ''}`}>
          {link.is_active ? 'Live' : 'Paused'}
        </span>
        {link.routing_type === 'geo' && <span class="pill">By country</span>}
      </td>
      <td class="number" data-label="Clicks">{count(link.total_clicks)}</td>
      <td class="number" data-label="Conversions">
        {count(link.total_conversions)}
      </td>
      <td class="course" data-label={`Last ${days} days`}>
        {course?.length ? (
          <Sparkline values={course}
                     label={`Clicks of the last ${days} days`} />
        ) : null}
      </td>
      <td class="best" data-label="Most converted">
        {has_leader ? <Text>{link.top_variant}</Text>
                    : <span class="muted">–</span>}
      </td>
      <td class="actions">
        <Button kind="quiet" icon={link.is_active ? 'pause' : 'play'}
                label={`${link.is_active ? 'Pause' : 'Resume'} ${link.name}`}
                is_busy={is_busy} onClick={() => void toggle()} />
        <Button kind="quiet" icon="trash" label={`Delete ${link.name}`}
                onClick={() => set_asking(true)} />
        {is_asking && (
          <DeleteLink link={link} on_close={() => set_asking(false)}
                      after={refresh} />
        )}
      </td>
    </tr>
  );
}

/** All links of the account. */
export function Links() {
  const { query } = use_store(place);
  const gone = use_store(leaving);
  const search = query.get('search') ?? '';
  const named = query.get('sort') ?? '';
  const sort = is_order(named) ? named : 'newest';
  const page = Math.max(1, Number(query.get('page')) || 1);
  const [typed, set_typed] = useState(search);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.trim() !== search)
        change_query({ search: typed.trim(), page: undefined });
    }, 250);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => set_typed((x) => (x.trim() === search ? x : search)), [search]);
  const { data, failure, is_stale, refresh } = use_live<Screen>(
    JSON.stringify([search, sort, page]),
    (signal, before) => read_screen(search, sort, page, signal, before));
  const pages = Math.ceil((data?.total ?? 0) / per_page);
  // A search that finds nothing does not say that there is nothing.
  const is_empty = data?.total === 0 && data.search === '';
  // The last link of a page may have been deleted.
  useEffect(() => {
    if (data && !is_stale && page > Math.max(pages, 1))
      change_query({ page: pages > 1 ? String(pages) : undefined });
  }, [data, pages]);
  const clicks = data?.items.reduce((sum, x) => sum + x.total_clicks, 0) ?? 0;
  const conversions
    = data?.items.reduce((sum, x) => sum + x.total_conversions, 0) ?? 0;

  return (
    <main id="main">
      <header class="page-head">
        <Heading>Links</Heading>
        {data && !is_empty && (
          <Anchor to="/links/new" class="button primary">
            <Icon name="plus" />New link
          </Anchor>
        )}
      </header>
      {!data && <Loading failure={failure} />}
      {data && <FailureNote failure={failure} />}
      {is_empty && <Empty />}
      {data && !is_empty && (
        <>
          <div class="toolbar">
            <Field label="Search links" is_label_hidden class="search">
              {(wiring) => (
                <div class="prefixed">
                  <span aria-hidden="true"><Icon name="search" /></span>
                  <input {...wiring} type="search" value={typed}
                         placeholder="Search names and addresses"
                         onInput={(e) => set_typed(e.currentTarget.value)} />
                </div>
              )}
            </Field>
            <Field label="Order" is_label_hidden>
              {(wiring) => (
                <select {...wiring} value={sort}
                        onChange={(e) => change_query({
                          sort: e.currentTarget.value === 'newest'
                            ? undefined : e.currentTarget.value,
                          page: undefined,
                        })}>
                  {Object.entries(orders).map(([value, name]) => (
                    <option key={value} value={value}>{name}</option>
                  ))}
                </select>
              )}
            </Field>
          </div>
          {data.items.length === 0 ? (
            <div class="empty-line card">
              {data.search ? (
                <>
                  <p>No link’s name or address has “<Text>{data.search}</Text>”.</p>
                  <Button onClick={() => set_typed('')}>Show all links</Button>
                </>
              ) : <p>Nothing on this page.</p>}
            </div>
          ) : (
            <div class={`card table-card${is_stale ? ' is-stale' : ''}`}>
              <Scroller label="Links">
                <table class="links">
                  <thead>
                    <tr>
                      <th scope="col">Link</th>
                      <th scope="col">State</th>
                      <th scope="col" class="number">Clicks</th>
                      <th scope="col" class="number">Conversions</th>
                      <th scope="col">Last {days} days</th>
                      <th scope="col">Most converted</th>
                      <th scope="col"><span class="unseen">Actions</span></th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.items.map((x) => (
                      <Row key={x.id} link={x} course={data.courses[x.id]?.days}
                           is_leaving={gone.has(x.id)} refresh={refresh} />
                    ))}
                  </tbody>
                </table>
              </Scroller>
            </div>
          )}
          {data.items.length > 0 && (
            <footer class="table-foot">
              <p class="hint">
                {data.search ? `${counted(data.total, 'link')} found. ` : ''}
                {pages > 1 ? 'On this page: ' : 'In all: '}
                {counted(clicks, 'click')}, {counted(conversions, 'conversion')}.
              </p>
              <Pager page={page} pages={pages} of="links"
                     go={(x) => change_query({ page: x > 1 ? String(x) : undefined })} />
            </footer>
          )}
        </>
      )}
    </main>
  );
}
