import { useState } from 'preact/hooks';
import { utc_date } from '../../format';
import { change_query } from '../../router';
import { fresh_id } from '../../ui/basic';

/** A range of UTC days, both included; empty is the link's whole life. */
export interface Range {
  from?: string;
  to?: string;
}

const presets: [string, string, number][]
  = [['7', '7 days', 7], ['30', '30 days', 30], ['90', '90 days', 90]];
const standard = '30';

/** Whether it is a day of the calendar, written whole. */
function is_date(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** What is wrong with a range, in words; '' is nothing. */
function trouble_of(from: string, to: string): string {
  if (!is_date(from) || !is_date(to)) return 'Choose both days.';
  // Years grow digit by digit while they are typed: 0002, 0020, 0202.
  if (from < '2000' || to < '2000') return 'Write years with four digits.';
  if (to > utc_date(0)) return 'Choose days up to today (UTC).';
  if (from > to) return 'The first day is after the last one.';
  return '';
}

/** The name of the range in the query; one that makes no sense is the default. */
function days_of(query: URLSearchParams): string {
  const days = query.get('days') ?? standard;
  if (days === 'custom')
    return trouble_of(query.get('from') ?? '', query.get('to') ?? '')
      ? standard : days;
  return days === 'all' || presets.some(([value]) => value === days) ? days
                                                                     : standard;
}

/** The range that the query of the page's address names. */
export function range_of(query: URLSearchParams): Range {
  const days = days_of(query);
  if (days === 'all') return {};
  if (days === 'custom')
    return { from: query.get('from')!, to: query.get('to')! };
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

/** Two days; what is typed is applied when it is a range. */
function Dates({ start }: { start: Range }) {
  const [id] = useState(fresh_id);
  const [from, set_from] = useState(start.from ?? '');
  const [to, set_to] = useState(start.to ?? '');
  const trouble = trouble_of(from, to);
  const apply = (a: string, b: string): void => {
    set_from(a);
    set_to(b);
    if (!trouble_of(a, b)) change_query({ from: a, to: b, page: undefined });
  };
  const wiring = {
    type: 'date' as const,
    max: utc_date(0),
    'aria-invalid': trouble !== '',
    'aria-describedby': trouble ? id : undefined,
  };
  return (
    <div class="dates">
      <label>From <input {...wiring} value={from}
                         onInput={(e) => apply(e.currentTarget.value, to)} />
      </label>
      <label>To <input {...wiring} value={to}
                       onInput={(e) => apply(from, e.currentTarget.value)} />
      </label>
      <p class="error" aria-live="polite" id={id}>
        {trouble && `${trouble} The numbers are still those of the range before.`}
      </p>
    </div>
  );
}

export function RangePicker({ query }: { query: URLSearchParams }) {
  const days = days_of(query);
  const range = range_of(query);
  const pick = (value: string): void => change_query({
    days: value === standard ? undefined : value, page: undefined,
    from: value === 'custom' ? range.from ?? utc_date(29) : undefined,
    to: value === 'custom' ? range.to ?? utc_date(0) : undefined,
  });
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
      {days === 'custom' && <Dates start={range} />}
    </div>
  );
}
