// Runs the script of `GET /c.js` as pages do.
// Usage: script_test.mjs FILE ORIGIN LINK_ID CLICK_ID

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import vm from 'node:vm';

const [file, origin, link, click] = process.argv.slice(2);
const code = readFileSync(file, 'utf8');

/** A page with nothing but what the script needs of a browser. */
function open_page({ src, current = true }) {
  const urls = [];
  const images = [];
  class Image {
    set src(url) {
      urls.push(url);
      images.push(this);
    }
  }
  const script = { src };
  const document = {
    currentScript: current ? script : null,
    getElementsByTagName(name) {
      assert.equal(name, 'script');
      return [{ src: '' }, script, { src: 'https://x.example/other.js' }];
    },
  };
  // The global object of a page is its window.
  const window = vm.createContext({ document, Image });
  window.window = window;
  return {
    urls,
    images,
    window,
    run: (text) => vm.runInContext(text, window),
  };
}

// As in README.
const stub =
  'window.svc=window.svc||function(){(svc.q=svc.q||[]).push(arguments)}';

// Called after it is there.
{
  const page = open_page({ src: 'https://go.example/c.js' });
  page.run(code);
  page.window.svc('convert', 'L');
  page.window.svc('convert', 'L', {});
  page.window.svc('convert', 'L', {
    click_id: 'c',
    event_id: 'a b&c=ü/?',
    value: 12.5,
    currency: 'EUR',
    other: 'x',
  });
  page.window.svc('convert', 'L', { value: 0, event_id: null, currency: '' });
  assert.deepEqual(page.urls, [
    'https://go.example/c/L.gif',
    'https://go.example/c/L.gif',
    'https://go.example/c/L.gif?click_id=c&event_id=a%20b%26c%3D%C3%BC%2F%3F' +
      '&value=12.5&currency=EUR',
    'https://go.example/c/L.gif?value=0',
  ]);
  // The end of an image is no error, whichever comes first.
  page.images[1].onload();
  page.images[0].onerror();
  page.images[0].onerror();
}

// Calls before it is there wait, in their order; it may be loaded twice.
{
  const page = open_page({ src: 'https://go.example/c.js' });
  page.run(stub);
  page.run("svc('convert','1'); svc('convert','2',{value:'3'})");
  assert.deepEqual(page.urls, []);
  page.run(code);
  page.run(stub);
  page.run("window.svc('convert','3')");
  page.run(code);
  page.run("window.svc('convert','4')");
  assert.deepEqual(
    page.urls.map((x) => x.replace('https://go.example/c/', '')),
    ['1.gif', '2.gif?value=3', '3.gif', '4.gif'],
  );
}

// Where the browser does not tell which script runs, and with a query.
for (const src of ['https://go.example:8443/c.js?v=2', '/c.js#x']) {
  const page = open_page({ src, current: false });
  page.run(code);
  page.window.svc('convert', 'L');
  assert.deepEqual(page.urls, [src.replace(/\/c\.js.*/, '') + '/c/L.gif']);
}

// What it does not know it leaves alone.
{
  const page = open_page({ src: 'https://go.example/c.js' });
  page.run(code);
  page.window.svc('other', 'L');
  page.window.svc('convert');
  page.window.svc();
  assert.deepEqual(page.urls, []);
}

// The real pixel.
{
  const page = open_page({ src: origin + '/c.js' });
  page.run(code);
  page.window.svc('convert', link, {
    click_id: click,
    event_id: 'order 1',
    value: '19.90',
    currency: 'EUR',
  });
  for (const url of page.urls) {
    const answer = await fetch(url);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'image/gif');
    assert.equal((await answer.arrayBuffer()).byteLength, 43);
  }
}
