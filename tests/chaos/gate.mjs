// Passes TCP connections on, until it is told to lose everything: what arrives
// then goes nowhere, and new connections get no answer.
//   node gate.mjs CONTROL_PORT LISTEN_PORT:TARGET_PORT...
// POST /drop and POST /pass on the control port switch it; GET / answers 200.
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer } from 'node:net';

const [control, ...routes] = process.argv.slice(2);
let dropping = false;
const sockets = new Set();

function join(a, b) {
  sockets.add(a);
  a.setNoDelay(true);
  a.on('data', chunk => {
    if (!b.write(chunk)) a.pause();
  });
  b.on('drain', () => dropping || a.resume());
  a.on('end', () => b.end());
  a.on('error', () => b.destroy());
  a.on('close', () => {
    sockets.delete(a);
    b.destroy();
  });
  if (dropping) a.pause();
}

for (const route of routes) {
  const [listen, target] = route.split(':').map(Number);
  createServer({ allowHalfOpen: true }, from => {
    const to = connect({ port: target, host: '127.0.0.1', allowHalfOpen: true });
    to.on('error', () => from.resetAndDestroy());
    join(from, to);
    join(to, from);
  }).listen(listen, '127.0.0.1');
}

createHttpServer((request, response) => {
  if (request.method === 'POST') {
    dropping = request.url === '/drop';
    // Unread bytes wait, as lost packets are sent again.
    for (const socket of sockets) dropping ? socket.pause() : socket.resume();
  }
  response.end(dropping ? 'drop\n' : 'pass\n');
}).listen(Number(control), '127.0.0.1');
