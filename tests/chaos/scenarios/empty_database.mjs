// All nodes start at once on an empty store: it gets one schema and one first
// account, and both nodes serve.
export async function check(cluster, { short }) {
  const rounds = short ? 1 : 5;
  for (let i = 0; i < rounds; ++i) {
    const lengths = cluster.nodes.map(x => cluster.log_of(x.name).length);
    await cluster.script('reset');
    cluster.load();
    const greetings = cluster.nodes.filter((x, j) =>
      cluster.log_of(x.name).slice(lengths[j]).includes('This is a new store'));
    if (greetings.length !== 1)
      throw new Error(`${greetings.length} nodes made a first account`);
    const users = await cluster.turnout_ok(['user', 'list']);
    const firsts = users.split('\n').filter(x => x.includes('admin@localhost'));
    if (firsts.length !== 1) throw new Error(`accounts: ${users}`);
    for (const { url } of cluster.nodes)
      await cluster.expect(200, 'GET', '/links', undefined, { base: url });
    await cluster.turnout_ok(['verify']);
  }
  return `${rounds} times`;
}
