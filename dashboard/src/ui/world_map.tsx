import outlines from 'virtual:world';
import { count, country } from '../format';

interface Row {
  value: string;
  clicks: number;
}

/** Shades the countries that clicks came from; the table beside has the numbers. */
export function WorldMap({ rows }: { rows: Row[] }) {
  const clicks = new Map(rows.map((x) => [x.value, x.clicks]));
  clicks.delete('unknown');
  const top = Math.max(...clicks.values(), 1);
  // Shades of a root, as few countries have most of the clicks.
  const shade = (n: number): number => Math.ceil(Math.sqrt(n / top) * 5);
  return (
    <svg class="world" viewBox="0 0 990 430" role="img"
         aria-label="Map of the world, shaded by clicks; the table has the numbers">
      {outlines.map(([code, path]) => {
        const n = clicks.get(code) ?? 0;
        return (
          <path key={code + path.slice(0, 12)} d={path} class={`shade-${shade(n)}`}>
            {n > 0 && <title>{`${country(code)}: ${count(n)}`}</title>}
          </path>
        );
      })}
    </svg>
  );
}
