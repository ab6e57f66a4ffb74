import { percent } from '../format';
import type { Interval } from '../stats';

interface IntervalProps {
  rate: number;
  interval: Interval;
  /** The rate at the right end, the same for all pictures of a table. */
  top: number;
}

/** A rate as a dot, and where the true one likely lies as a line. */
export function IntervalPicture({ rate, interval, top }: IntervalProps) {
  const at = (x: number): number => 4 + (Math.min(x, top) / top) * 192;
  const [lower, upper] = [at(interval.lower), at(interval.upper)];
  const text = `${percent(rate)}, likely between ${percent(interval.lower)} and `
    + percent(interval.upper);
  return (
    <svg class="interval" viewBox="0 0 200 20" role="img"
         preserveAspectRatio="xMinYMid" aria-label={text}>
      <title>{text}</title>
      <line class="axis" x1="4" x2="196" y1="10" y2="10" />
      <rect class="likely" x={lower} y="6" width={Math.max(upper - lower, 2)}
            height="8" rx="4" />
      <circle class="dot" cx={at(rate)} cy="10" r="4.5" />
    </svg>
  );
}
