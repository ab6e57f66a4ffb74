import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import type { Plugin } from 'vite';

// The module "virtual:world": an outline of every country as a path of SVG, made
// from the public domain data of Natural Earth when the dashboard is built.

type Point = [number, number];

const name = 'virtual:world';
const width = 960;

/** Equal Earth: areas compare, which is what a map of counts is read for. */
function project([lon, lat]: Point): Point {
  const [a1, a2, a3, a4] = [1.340264, -0.081106, 0.000893, 0.003796];
  const m = Math.sqrt(3) / 2;
  const theta = Math.asin(m * Math.sin((lat * Math.PI) / 180));
  const t2 = theta * theta;
  const t6 = t2 * t2 * t2;
  const x
    = ((lon * Math.PI) / 180) * Math.cos(theta)
      / (m * (a1 + 3 * a2 * t2 + t6 * (7 * a3 + 9 * a4 * t2)));
  const y = theta * (a1 + a2 * t2 + t6 * (a3 + a4 * t2));
  const scale = width / (2 * 2.7066);
  return [width / 2 + x * scale, 232 - y * scale];
}

/**
 * Returns a ring that does not jump from one edge of the map to the other, where
 * a country lies on both sides of the date line.
 */
function in_one_piece(ring: Point[]): Point[] {
  const jumps = ring.some(([lon], i) => i > 0
    && Math.abs(lon - ring[i - 1]![0]) > 180);
  return jumps ? ring.map(([lon, lat]) => [lon < 0 ? lon + 360 : lon, lat]) : ring;
}

/** Returns a ring as a closed path of half steps. */
function ring_path(whole: Point[]): string {
  const ring = in_one_piece(whole);
  let [px, py] = [0, 0];
  let result = '';
  for (const [i, point] of ring.slice(0, -1).entries()) {
    const [x, y] = project(point).map((v) => Math.round(v * 2)) as Point;
    if (i > 0 && x === px && y === py) continue;
    result += i === 0 ? `M${x / 2} ${y / 2}` : `l${(x - px) / 2} ${(y - py) / 2}`;
    [px, py] = [x, y];
  }
  return `${result.replace(/ -/g, '-')}z`;
}

/** Returns the alpha-2 code of a numeric one of ISO 3166-1, or ''. */
function alpha2(id: unknown): string {
  if (typeof id !== 'string') return '';
  const code = Intl.getCanonicalLocales(`und-${id}`)[0]?.slice(4) ?? '';
  return /^[A-Z]{2}$/.test(code) ? code : '';
}

function outlines(): [string, string][] {
  const file = createRequire(import.meta.url)
    .resolve('world-atlas/countries-110m.json');
  const atlas = JSON.parse(readFileSync(file, 'utf8'));
  const { features } = feature(atlas, atlas.objects.countries) as any;
  const result: [string, string][] = [];
  for (const { id, geometry } of features) {
    const code = alpha2(id);
    if (code === 'AQ') continue;
    const polygons: Point[][][]
      = geometry.type === 'Polygon' ? [geometry.coordinates]
                                    : geometry.coordinates;
    result.push([code, polygons.flat().map(ring_path).join('')]);
  }
  return result;
}

export function world(): Plugin {
  return {
    name: 'turnout-world',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}`
      ? `export default ${JSON.stringify(outlines())};` : undefined),
  };
}
