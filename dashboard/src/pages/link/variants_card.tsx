import { useState } from 'preact/hooks';
import type { Analytics, Link } from '../../api';
import { count, percent } from '../../format';
import { rate_interval } from '../../stats';
import { Button, Card, Destination, Scroller, Text } from '../../ui/basic';
import { IntervalPicture } from '../../ui/interval';
import { Promote } from './winner_card';

interface VariantsProps {
  link: Link;
  report: Analytics;
  /** The variant that is recommended, if one is. */
  recommended: string | null | undefined;
  refresh: () => void;
}

/** How each variant does in the range of days. */
export function VariantsCard({ link, report, recommended,
                               refresh }: VariantsProps) {
  const [chosen, choose] = useState<{ variant_id: string; label: string }>();
  const rows = report.variant_performance
    .filter((x) => !x.retired || x.clicks > 0 || x.conversions > 0)
    .map((x) => ({
      ...x,
      interval: rate_interval(Math.round(x.conversion_rate * x.clicks), x.clicks),
    }));
  const top = Math.max(0.01, ...rows.filter((x) => x.clicks > 0)
    .map((x) => x.interval.upper));
  const is_split = link.routing_type === 'ab_test';
  return (
    <Card title="Variants">
      <Scroller label="Variants">
        <table class="variants-table">
          <thead>
            <tr>
              <th scope="col">Variant</th>
              {is_split && <th scope="col" class="number">Share</th>}
              <th scope="col" class="number">Clicks</th>
              <th scope="col" class="number">Conversions</th>
              <th scope="col" class="number">Rate</th>
              <th scope="col">Likely range of the rate</th>
              <th scope="col"><span class="unseen">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            {rows.map((x) => (
              <tr key={x.variant_id} class={x.retired ? 'is-retired' : ''}>
                <th scope="row">
                  <span class="variant-name">
                    <Text>{x.label}</Text>
                    {x.is_winner && <span class="pill good">Promoted</span>}
                    {x.retired && <span class="pill">Removed</span>}
                  </span>
                  <Destination url={x.destination_url} />
                </th>
                {is_split && (
                  <td class="number" data-label="Share">
                    {x.retired ? '–' : `${x.weight} %`}
                  </td>
                )}
                <td class="number" data-label="Clicks">{count(x.clicks)}</td>
                <td class="number" data-label="Conversions">
                  {count(x.conversions)}
                </td>
                <td class="number" data-label="Rate">
                  {x.clicks ? percent(x.conversion_rate) : '–'}
                </td>
                <td class="picture">
                  {x.clicks > 0 ? (
                    <IntervalPicture rate={x.conversion_rate}
                                     interval={x.interval} top={top} />
                  ) : <span class="muted">No clicks yet</span>}
                </td>
                <td class="actions">
                  {is_split && !x.retired && !x.is_winner && (
                    <Button onClick={() => choose(x)}>
                      Promote<span class="unseen"> {x.label}</span>
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <p class="hint">
        The dot is the rate so far; the bar is where the true one lies in 95 of 100
        cases. The scale goes from 0 to {percent(top)}.
        {is_split && ' Bars that overlap may be equal.'}
        {report.unattributed_conversions > 0
          && ` ${count(report.unattributed_conversions)} of all conversions came `
             + 'without a click and may belong to no variant.'}
      </p>
      {chosen && (
        <Promote link={link} variant={chosen} recommended={recommended}
                 refresh={refresh}
                 on_close={() => choose(undefined)} />
      )}
    </Card>
  );
}
