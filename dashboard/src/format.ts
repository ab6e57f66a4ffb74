// Numbers, times and names as people read them.

const locale = navigator.languages?.[0] ?? 'en';

const whole = new Intl.NumberFormat(locale);
const short = new Intl.NumberFormat(locale, {
  notation: 'compact', maximumFractionDigits: 1,
});
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });

export const count = (x: number): string => whole.format(x);
export const compact = (x: number): string => (x < 100_000 ? whole : short).format(x);
// One way to write them, whatever the language: there are many in words too.
export const percent = (x: number): string => `${tenths.format(x * 100)}\u00a0%`;
export const coarse_percent
  = (x: number): string => `${whole.format(Math.round(x * 100))}\u00a0%`;

/** A chance, which is never all or nothing. */
export function chance(x: number): string {
  if (x > 0.99) return `over ${coarse_percent(0.99)}`;
  return x < 0.01 ? `under ${coarse_percent(0.01)}` : coarse_percent(x);
}

/** "1 click", "2 clicks". */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Odds such as "12 : 1". */
export function odds(x: number): string {
  if (x >= 1e6) return 'over 1,000,000 : 1';
  return `${x < 10 ? x.toFixed(1) : count(Math.round(x))} : 1`;
}

const moment = new Intl.DateTimeFormat(locale, {
  dateStyle: 'medium', timeStyle: 'short',
});
const exact_moment = new Intl.DateTimeFormat(locale, {
  dateStyle: 'medium', timeStyle: 'medium',
});
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const utc_day = new Intl.DateTimeFormat(locale, {
  day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC',
});
const short_utc_day = new Intl.DateTimeFormat(locale, {
  day: 'numeric', month: 'short', timeZone: 'UTC',
});

/** A time in the viewer's zone. */
export const time = (iso: string): string => moment.format(new Date(iso));
export const exact_time
  = (iso: string): string => exact_moment.format(new Date(iso));
export const time_of_day = (ms: number): string => clock.format(new Date(ms));

/** A day of the service, which is one of UTC. */
export const day = (date: string): string => utc_day.format(new Date(date));
export const short_day
  = (date: string): string => short_utc_day.format(new Date(date));

/** The viewer's zone, such as "GMT+2". */
export const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' })
  .formatToParts(new Date())
  .find((x) => x.type === 'timeZoneName')?.value ?? '';

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

/** "3 minutes ago". */
export function ago(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  const steps: [Intl.RelativeTimeFormatUnit, number][]
    = [['day', 86_400], ['hour', 3600], ['minute', 60]];
  for (const [unit, size] of steps)
    if (Math.abs(seconds) >= size)
      return relative.format(Math.round(seconds / size), unit);
  return 'just now';
}

/** The UTC day of so many days before today, as the API takes it. */
export function utc_date(days_ago: number): string {
  return new Date(Date.now() - days_ago * 86_400_000).toISOString().slice(0, 10);
}

const regions = new Intl.DisplayNames([locale, 'en'], { type: 'region' });

/** The name of a country, or what was sent if it is none. */
export function country(code: string): string {
  if (code === 'unknown') return 'Unknown';
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}

export function money(value: string, currency: string | null): string {
  return currency ? `${value} ${currency}` : value;
}
