import { useState } from 'preact/hooks';
import { api, type ClickList, type Link, type Analytics } from '../../api';
import { browser_of } from '../../browser';
import { failure_of } from '../../failure';
import { count, country, exact_time, zone } from '../../format';
import { change_query } from '../../router';
import { Button, Card, Pager, Scroller, Text } from '../../ui/basic';
import { tell } from '../../ui/toast';
import type { Range } from './range';
import { clicks_per_page } from './screen';

interface ClicksProps {
  link: Link;
  report: Analytics;
  clicks: ClickList | null;
  range: Range;
}

/** Hands a file to the browser. */
function download(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** The clicks one by one. */
export function ClicksCard({ link, report, clicks, range }: ClicksProps) {
  const [is_busy, set_busy] = useState(false);
  const labels = new Map(
    report.variant_performance.map((x) => [x.variant_id, x.label]));
  const save = async (): Promise<void> => {
    set_busy(true);
    try {
      const { from, to } = range;
      const csv = await api.clicks_csv(link.id, {
        ...(from ? { start_date: from } : {}), ...(to ? { end_date: to } : {}),
      });
      download(csv, `${link.slug}-clicks.csv`);
    } catch (e) {
      tell(`The file was not made. ${failure_of(e).message}`);
    }
    set_busy(false);
  };
  // One number for the whole screen, as the list is read beside the report.
  const total = report.total_clicks;
  const pages = Math.ceil(total / clicks_per_page);
  return (
    <Card title="Clicks"
          aside={(
            <Button icon="download" is_busy={is_busy} onClick={() => void save()}>
              CSV<span class="unseen"> file of the clicks in this range</span>
            </Button>
          )}>
      {clicks === null && (
        <p class="empty-line">
          The list shows at most 90 days at once. The file has all of them.
        </p>
      )}
      {clicks?.items.length === 0 && (
        <p class="empty-line">No clicks in this range.</p>
      )}
      {clicks && clicks.items.length > 0 && (
        <>
          <Scroller label="Clicks">
            <table class="clicks">
              <thead>
                <tr>
                  <th scope="col">Time ({zone})</th>
                  <th scope="col">Variant</th>
                  <th scope="col">Converted</th>
                  <th scope="col">Country</th>
                  <th scope="col">Referrer</th>
                  <th scope="col">Address</th>
                  <th scope="col">Browser</th>
                </tr>
              </thead>
              <tbody>
                {clicks.items.map((x) => (
                  <tr key={x.id}>
                    <th scope="row" class="when">{exact_time(x.created_at)}</th>
                    <td><Text class="cut">{labels.get(x.variant_id) ?? '–'}</Text></td>
                    <td>{x.is_conversion ? <span class="pill good">Yes</span>
                                         : <span class="muted">No</span>}</td>
                    <td>{x.country ? country(String(x.country))
                                   : <span class="muted">–</span>}</td>
                    <td title={x.referrer ?? ''}>
                      {x.referrer ? <Text class="cut">{x.referrer}</Text>
                                  : <span class="muted">–</span>}
                    </td>
                    <td>{String(x.ip_address)}</td>
                    <td title={x.user_agent}>
                      {x.user_agent ? <Text class="cut">{browser_of(x.user_agent)}</Text>
                                    : <span class="muted">–</span>}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroller>
          <footer class="table-foot">
            <p class="hint">
              {count(total)} in this range, the newest first. Addresses are
              cut, so that they name no person.
            </p>
            <Pager page={clicks.page} pages={pages} of="clicks"
                   go={(x) => change_query({ page: x > 1 ? String(x) : undefined })} />
          </footer>
        </>
      )}
    </Card>
  );
}
