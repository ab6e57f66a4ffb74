/** A range of rates, each 0 to 1. */
export interface Interval {
  lower: number;
  upper: number;
}

/**
 * Returns where the true rate of so many converted clicks lies, in 95 of 100
 * cases (Wilson). It is made of the very numbers beside it, so that they agree.
 */
export function rate_interval(converted: number, clicks: number): Interval {
  if (clicks === 0) return { lower: 0, upper: 1 };
  const z = 1.959964;
  const p = converted / clicks;
  const d = 1 + (z * z) / clicks;
  const middle = (p + (z * z) / (2 * clicks)) / d;
  const half
    = (z * Math.sqrt((p * (1 - p)) / clicks + (z * z) / (4 * clicks * clicks))) / d;
  return { lower: Math.max(0, middle - half), upper: Math.min(1, middle + half) };
}

/** Splits 100 percent as evenly as whole numbers allow, first ones more. */
export function even_split(n: number): number[] {
  const each = Math.floor(100 / n);
  return Array.from({ length: n }, (_, i) => each + (i < 100 - each * n ? 1 : 0));
}
