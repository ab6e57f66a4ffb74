// All connections of the nodes to PostgreSQL are ended, every second.
import { setTimeout as sleep } from 'node:timers/promises';

export const needs = 'postgresql';

export async function fault(cluster, { short }) {
  let ended = 0;
  for (let i = 0; i < (short ? 6 : 20); ++i) {
    await sleep(1000);
    ended += Number(await cluster.sql(
      `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
       WHERE usename = 'turnout'`));
  }
  if (ended === 0) throw new Error('there were no connections to end');
  return { note: `${ended} connections ended` };
}
