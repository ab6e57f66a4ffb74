// HTTP requests of the tests, on connections that are kept open.
import { Agent, request } from 'node:http';

const shared = new Agent({ keepAlive: true, maxSockets: Infinity });

/// Sends a request and returns { status, headers, body }. Throws when no whole
/// answer came; `error.unsent` tells whether nothing can have arrived.
export function send(url, { method = 'GET', headers = {}, body, agent = shared,
                            timeout = 30_000 } = {}) {
  return new Promise((resolve, reject) => {
    const out = request(url, { method, agent, headers, timeout }, response => {
      const parts = [];
      response.on('data', part => parts.push(part));
      response.on('error', reject);
      response.on('end', () => response.complete
        ? resolve({ status: response.statusCode, headers: response.headers,
                    body: Buffer.concat(parts).toString() })
        : reject(new Error('half an answer')));
    });
    out.on('timeout', () => out.destroy(new Error('no answer in time')));
    out.on('error', error => {
      error.unsent = error.code === 'ECONNREFUSED';
      reject(error);
    });
    out.end(body);
  });
}

/// Like send(), with a body of JSON and an answer of JSON (`json`).
export async function send_json(url, { body, headers = {}, ...options } = {}) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  if (text !== undefined) {
    headers['Content-Type'] = 'application/json';
    headers['Content-Length'] = Buffer.byteLength(text);
  }
  const answer = await send(url, { ...options, headers, body: text });
  try {
    answer.json = JSON.parse(answer.body);
  } catch {
    // Not every answer is JSON.
  }
  return answer;
}

export function new_agent(connections) {
  return new Agent({ keepAlive: true, maxSockets: connections });
}
