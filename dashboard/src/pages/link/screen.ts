import { api, type Analytics, type ClickList, type Link, type Winner }
  from '../../api';
import { same } from '../../live';
import { is_listable, type Range } from './range';

export const clicks_per_page = 25;

/** All that the page of a link shows, read together. */
export interface Screen {
  link: Link;
  report: Analytics;
  winner: Winner;
  /** Null when the range is longer than the list of clicks can be. */
  clicks: ClickList | null;
}

async function read_once(id: string, range: Range, page: number,
                         signal: AbortSignal): Promise<Screen> {
  const { from, to } = range;
  const [link, report, winner, clicks] = await Promise.all([
    api.link(id, signal),
    api.analytics(id, { ...(from ? { from_date: from } : {}),
                        ...(to ? { to_date: to } : {}) }, signal),
    api.winner(id, signal),
    is_listable(range) ? api.clicks(id, {
      page, per_page: clicks_per_page,
      ...(from ? { start_date: from } : {}), ...(to ? { end_date: to } : {}),
    }, signal) : null,
  ]);
  // It is later each time.
  return { link, report, winner: { ...winner, evaluated_at: '' }, clicks };
}

/**
 * Reads until two readings agree: numbers only grow, so those of the second one
 * all held at one moment, and none contradicts another on the screen. Where
 * visitors come faster than that, the last reading has to do.
 */
export async function read_screen(id: string, range: Range, page: number,
                                  signal: AbortSignal,
                                  before: Screen | undefined): Promise<Screen> {
  let last = before;
  for (let i = 0; ; ++i) {
    const now = await read_once(id, range, page, signal);
    if (i === 4 || (last && same(last, now))) return now;
    last = now;
  }
}
