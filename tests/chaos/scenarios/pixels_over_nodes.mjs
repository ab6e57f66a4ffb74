// A visitor is redirected by one node, and the pixel of the page is answered by
// the other at once, before the first has brought the click into the store: the
// conversion counts all the same.
import { until } from '../cluster.mjs';
import { new_agent, send } from '../http.mjs';
import { variants } from '../load.mjs';

export async function check(cluster, { short }) {
  const visitors = short ? 50 : 500;
  const link = await cluster.expect(201, 'POST', '/links', {
    name: 'pixels',
    variants: variants('https://a.example/', 'https://b.example/') });
  const agent = new_agent(8);
  const browser = { 'User-Agent': 'Mozilla/5.0 Firefox/128.0' };
  const visit_and_convert = async number => {
    const from = cluster.nodes[number % cluster.nodes.length];
    const to = cluster.nodes[(number + 1) % cluster.nodes.length];
    const visit = await until('the link in every node', async () => {
      const answer = await send(`${from.url}/${link.slug}`,
                                { agent, headers: browser });
      return answer.status === 302 && answer;
    });
    const [cookie] = visit.headers['set-cookie'][0].split(';');
    await send(`${to.url}/c/${link.id}.gif`,
               { agent, headers: { ...browser, Cookie: cookie } });
  };
  for (let i = 0; i < visitors; i += 8)
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].filter(x => i + x < visitors)
      .map(x => visit_and_convert(i + x)));
  agent.destroy();
  const counts = async () => {
    const x = await cluster.expect(200, 'GET', `/links/${link.id}/analytics`);
    return [x.total_clicks, x.total_conversions];
  };
  await until('all clicks', async () => (await counts())[0] === visitors);
  const converted = await until('all conversions', async () =>
    (await counts())[1] === visitors, 10).then(() => visitors,
                                               async () => (await counts())[1]);
  if (converted !== visitors)
    throw new Error(`${converted} of ${visitors} conversions were counted`);
  return `${visitors} conversions`;
}
