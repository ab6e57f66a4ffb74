// Journals that are full, as on a full disk: redirects go on, and exactly the
// visits that the metric tells are lost.
import { until } from '../cluster.mjs';

// What fills a journal is what its events say, and that nothing drains it.
export const load = { referrer: `https://news.example/${'x'.repeat(2000)}`,
                      conversions: false };

export async function fault(cluster, { load }) {
  await cluster.restart({ TURNOUT_JOURNAL_MAX_BYTES: '1048576',
                          TURNOUT_JOURNAL_DRAIN_INTERVAL_MS: '60000' });
  const lost_of = node => cluster.metric(node, 'turnout_clicks_lost_total');
  for (const node of cluster.nodes)
    await until(`${node.name} loses clicks`,
                async () => await lost_of(node) > 100);
  await load.stop();
  let lost = 0;
  for (const node of cluster.nodes) lost += await lost_of(node);
  // With room again.
  await cluster.restart();
  return { lost, note: `${lost} lost, and told so` };
}
