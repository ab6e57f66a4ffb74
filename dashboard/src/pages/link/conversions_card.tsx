import { useState } from 'preact/hooks';
import { api_base, short_base } from '../../addresses';
import type { Analytics, Link } from '../../api';
import { count, counted, exact_time, money, zone } from '../../format';
import { Card, Scroller, Text } from '../../ui/basic';
import { Code } from '../../ui/copy';

interface Way {
  title: string;
  text: string;
  code: string;
}

function ways(link: Link): Way[] {
  return [
    {
      title: 'Script',
      text: 'Put this on the page that visitors reach when they have bought or '
        + 'signed up. The options in braces may be left out.',
      code: `<script>window.svc=window.svc||function(){(svc.q=svc.q||[])`
        + `.push(arguments)}</script>\n`
        + `<script async src="${short_base}/c.js"></script>\n`
        + `<script>svc('convert', '${link.id}', `
        + `{event_id: 'order-17', value: 19.9, currency: 'EUR'})</script>`,
    },
    {
      title: 'Pixel',
      text: 'The same for pages that run no script: an image that nobody sees.',
      code: `<img src="${short_base}/c/${link.id}.gif" alt="">`,
    },
    {
      title: 'Server',
      text: 'For sales that no page sees. It needs a secret key, and the click’s id '
        + 'if it shall count for a variant.',
      code: `curl ${api_base}/public/conversions \\\n`
        + `  -H 'X-API-Key: svc_sk_...' -H 'Content-Type: application/json' \\\n`
        + `  -d '{"link_id": "${link.id}", "event_id": "order-17", `
        + `"value": "19.90", "currency": "EUR"}'`,
    },
    {
      title: 'Link',
      text: link.conversion_redirect_url
        ? 'Who follows this address is counted and sent on to the page that you '
          + 'chose in the settings of the link.'
        : 'Who follows this address is counted and sent on. Choose the page first: '
          + 'Edit, More settings.',
      code: `<a href="${short_base}/c/${link.id}">Download</a>`,
    },
  ];
}

/** How conversions are reported, and the newest of them. */
export function ConversionsCard({ link, report }: {
  link: Link; report: Analytics;
}) {
  const [chosen, choose] = useState(0);
  const all = ways(link);
  const way = all[chosen]!;
  const events = report.conversion_events.slice(0, 10);
  return (
    <Card title="Conversions">
      <p class="hint">
        A conversion is what you want visitors to do. Report it in one of these ways;
        the click that led to it is found by itself.
      </p>
      <div class="segments" role="group" aria-label="Ways to report a conversion">
        {all.map(({ title }, i) => (
          <button type="button" key={title} aria-pressed={i === chosen}
                  onClick={() => choose(i)}>
            {title}
          </button>
        ))}
      </div>
      <p>{way.text}</p>
      <Code text={way.code} what={`${way.title} that reports a conversion`} />
      {events.length > 0 && (
        <>
          <h3>Newest conversions</h3>
          <Scroller label="Newest conversions">
            <table>
              <thead>
                <tr>
                  <th scope="col">Time ({zone})</th>
                  <th scope="col">Variant</th>
                  <th scope="col" class="number">Value</th>
                  <th scope="col">Event</th>
                </tr>
              </thead>
              <tbody>
                {events.map((x) => (
                  <tr key={x.id}>
                    <th scope="row" class="when">{exact_time(x.created_at)}</th>
                    <td>
                      {x.variant_label ? <Text class="cut">{x.variant_label}</Text>
                                       : <span class="muted">None</span>}
                      {x.click_id === null && <span class="pill">No click</span>}
                    </td>
                    <td class="number">
                      {x.value === null ? <span class="muted">–</span>
                                        : money(x.value, x.currency)}
                    </td>
                    <td>{x.event_id ? <Text class="cut">{x.event_id}</Text>
                                    : <span class="muted">–</span>}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroller>
          {report.total_conversions > events.length && (
            <p class="hint">
              The newest {events.length} of{' '}
              {counted(report.total_conversions, 'conversion')} in this range.
              {report.unattributed_conversions > 0
                && ` ${count(report.unattributed_conversions)} came without a click.`}
            </p>
          )}
        </>
      )}
    </Card>
  );
}
