import { utc_date } from '../../format';
import { change_query } from '../../router';

/** A range of UTC days, both included; empty is the link's whole life. */
export interface Range {
  from?: string;
  to?: string;
}

const presets: [string, string, number][]
  = [['7', '7 days', 7], ['30', '30 days', 30], ['90', '90 days', 90]];
const standard = '30';
const date = /^\d{4}-\d{2}-\d{2}$/;

/** The range that the query of the page's address names. */
export function range_of(query: URLSearchParams): Range {
  const days = query.get('days') ?? standard;
  if (days === 'all') return {};
  if (days === 'custom') {
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
    return { ...(date.test(from) ? { from } : {}), ...(date.test(to) ? { to } : {}) };
  }
  const preset = presets.find(([value]) => value === days) ?? presets[1]!;
  return { from: utc_date(preset[2] - 1), to: utc_date(0) };
}

/** Whether the click list takes the range: at most 90 days, or none at all. */
export function is_listable({ from, to }: Range): boolean {
  if (!from && !to) return true;
  if (!from) return false;
  const end = Date.parse(to ?? utc_date(0));
  return (end - Date.parse(from)) / 86_400_000 < 90;
}

export function RangePicker({ query }: { query: URLSearchParams }) {
  const days = query.get('days') ?? standard;
  const pick = (value: string): void => change_query({
    days: value === standard ? undefined : value, page: undefined,
    from: value === 'custom' ? range_of(query).from ?? utc_date(29) : undefined,
    to: value === 'custom' ? range_of(query).to ?? utc_date(0) : undefined,
  });
  const set = (name: 'from' | 'to', value: string): void => {
    if (date.test(value)) change_query({ [name]: value, page: undefined });
  };
  return (
    <div class="range">
      <div class="segments" role="group" aria-label="Range of days">
        {[...presets, ['all', 'All time', 0], ['custom', 'Custom', 0]]
          .map(([value, title]) => (
            <button type="button" key={value} aria-pressed={value === days}
                    onClick={() => pick(String(value))}>
              {title}
            </button>
          ))}
      </div>
      {days === 'custom' && (
        <div class="dates">
          <label>From <input type="date" value={query.get('from') ?? ''}
                             max={query.get('to') ?? ''}
                             onChange={(e) => set('from', e.currentTarget.value)} />
          </label>
          <label>to <input type="date" value={query.get('to') ?? ''}
                           min={query.get('from') ?? ''}
                           onChange={(e) => set('to', e.currentTarget.value)} />
          </label>
        </div>
      )}
    </div>
  );
}
