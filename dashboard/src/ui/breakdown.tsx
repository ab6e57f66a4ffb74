import { count, percent } from '../format';
import { Text } from './basic';

interface Row {
  value: string;
  clicks: number;
  conversions: number;
}

interface BreakdownProps {
  /** What the rows are: "Country". */
  what: string;
  rows: Row[];
  /** All clicks of the range, of which the rows are parts. */
  total: number;
  name?: (value: string) => string;
}

/** Where clicks came from, the most frequent first. */
export function Breakdown({ what, rows, total, name = (x) => x }: BreakdownProps) {
  if (rows.length === 0)
    return <p class="empty-line">No clicks in this range.</p>;
  const shown = rows.reduce((sum, x) => sum + x.clicks, 0);
  return (
    <>
      <table class="breakdown">
        <thead>
          <tr>
            <th scope="col">{what}</th>
            <th scope="col" class="number">Clicks</th>
            <th scope="col" class="number">Conversions</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((x) => (
            <tr key={x.value}>
              <th scope="row">
                <Text>{name(x.value)}</Text>
                <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none"
                     aria-hidden="true">
                  <rect class="track" width="100" height="4" />
                  <rect class="fill" width={total ? (x.clicks / total) * 100 : 0}
                        height="4" />
                </svg>
              </th>
              <td class="number">
                {count(x.clicks)}
                <small>{total ? percent(x.clicks / total) : ''}</small>
              </td>
              <td class="number">{count(x.conversions)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown < total && (
        <p class="hint">
          The ten most frequent; {count(total - shown)} more clicks are of others.
        </p>
      )}
    </>
  );
}
