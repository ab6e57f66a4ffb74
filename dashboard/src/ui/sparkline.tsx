/** The course of some days as a small picture; the numbers are beside it. */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const [width, height] = [96, 28];
  const top = Math.max(...values, 1);
  const step = (width - 4) / Math.max(values.length - 1, 1);
  const points = values.map((v, i) => {
    const x = 2 + i * step;
    const y = height - 3 - (v / top) * (height - 6);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  const line = `M${points.join('L')}`;
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} role="img"
         aria-label={label}>
      <path class="area" d={`${line}L${width - 2} ${height - 2}L2 ${height - 2}z`} />
      <path class="line" d={line} />
    </svg>
  );
}
