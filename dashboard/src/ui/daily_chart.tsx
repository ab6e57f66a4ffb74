import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { count, day, short_day } from '../format';

interface Day {
  date: string;
  clicks: number;
  conversions: number;
}

const height = 240;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function columns(days: Day[]): uPlot.AlignedData {
  return [
    days.map((_, i) => i),
    days.map((x) => x.clicks),
    days.map((x) => x.conversions),
  ];
}

/** Whole numbers only: there is no half click. */
const steps = [1, 2, 5].flatMap((_, i, all) =>
  Array.from({ length: 9 }, (__, e) => all[i]! * 10 ** e)).sort((a, b) => a - b);

function options(days: () => Day[], width: number): uPlot.Options {
  const axis = {
    stroke: colour('--muted'),
    font: '12px system-ui, sans-serif',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const date_at = (i: number | null | undefined): string => {
    const date = i === null || i === undefined ? undefined : days()[i]?.date;
    return date ? `${day(date)} UTC` : '';
  };
  return {
    width,
    height,
    scales: {
      x: { time: false, range: (_, min, max) => [min - 0.5, max + 0.5] },
      y: { range: (_, __, max) => [0, Math.max(4, max * 1.1)] },
    },
    legend: { live: true },
    cursor: { y: false, drag: { x: false, y: false } },
    axes: [
      { ...axis, size: 28, grid: { show: false }, space: 64, incrs: steps,
        values: (_, at) => at.map((i) => {
          const date = Number.isInteger(i) ? days()[i]?.date : undefined;
          return date ? short_day(date) : '';
        }) },
      { ...axis, size: 52, incrs: steps, values: (_, at) => at.map(count) },
    ],
    series: [
      { label: 'Day', value: (_, __, ___, i) => date_at(i) },
      {
        label: 'Clicks',
        fill: colour('--bar'),
        stroke: colour('--bar'),
        points: { show: false },
        paths: uPlot.paths.bars!({ size: [0.7, 40], radius: 0.15 }),
        value: (_, v) => (v === null || v === undefined ? '' : count(v)),
      },
      {
        label: 'Conversions',
        stroke: colour('--accent'),
        width: 2,
        points: { show: true, size: 6, fill: colour('--accent') },
        value: (_, v) => (v === null || v === undefined ? '' : count(v)),
      },
    ],
  };
}

/** Clicks and conversions of each day. */
export function DailyChart({ days }: { days: Day[] }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(days);
  latest.current = days;

  useEffect(() => {
    const element = box.current!;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new uPlot(
        options(() => latest.current, Math.max(element.clientWidth, 200)),
        columns(latest.current), element);
    };
    draw();
    let width = element.clientWidth;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      plot.current?.setSize({ width: Math.max(width, 200), height });
    });
    watcher.observe(element);
    // A canvas does not know of colours that change.
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      watcher.disconnect();
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, []);

  useEffect(() => plot.current?.setData(columns(days)), [days]);

  return (
    <>
      <div class="chart" ref={box} role="img"
           aria-label="Chart of clicks and conversions per day; the table below
                       has the numbers" />
      <details class="as-table">
        <summary>Show as a table</summary>
        <div class="scroller short" role="region" aria-label="Numbers per day"
             tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                <th scope="col" class="number">Clicks</th>
                <th scope="col" class="number">Conversions</th>
              </tr>
            </thead>
            <tbody>
              {[...days].reverse().map((x) => (
                <tr key={x.date}>
                  <th scope="row">{day(x.date)}</th>
                  <td class="number">{count(x.clicks)}</td>
                  <td class="number">{count(x.conversions)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}
