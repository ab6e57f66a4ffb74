import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api_base, short_base } from '../../addresses';
import type { Analytics, Link } from '../../api';
import { count, counted, exact_time, money, zone } from '../../format';
import { Anchor, Card, Scroller, Text } from '../../ui/basic';
import { Code } from '../../ui/copy';

interface Way {
  title: string;
  text: ComponentChildren;
  code?: string;
  /** The same with an order's number and value. */
  with_order?: string;
}

function ways(link: Link): Way[] {
  const script = (options: string): string =>
    `<script>window.svc=window.svc||function(){(svc.q=svc.q||[])`
      + `.push(arguments)}</script>\n`
      + `<script async src="${short_base}/c.js"></script>\n`
      + `<script>svc('convert', '${link.id}'${options})</script>`;
  const pixel = (query: string): string =>
    `<img src="${short_base}/c/${link.id}.gif${query}" alt="">`;
  const server = (body: object): string =>
    `TURNOUT_KEY='svc_sk_...'\n`
      + `curl ${api_base}/public/conversions \\\n`
      + `  -H "X-API-Key: $TURNOUT_KEY" -H 'Content-Type: application/json' \\\n`
      + `  -d '${JSON.stringify(body)}'`;
  return [
    {
      title: 'Script',
      text: 'Put this on the page that visitors reach when they have bought or '
        + 'signed up, as it stands.',
      code: script(''),
      with_order: script(
        `, {event_id: 'order-17', value: 19.9, currency: 'EUR'}`),
    },
    {
      title: 'Pixel',
      text: 'The same for pages that run no script: an image that nobody sees.',
      code: pixel(''),
      with_order: pixel('?event_id=order-17&amp;value=19.9&amp;currency=EUR'),
    },
    {
      title: 'Server',
      text: (
        <>
          For sales that no page sees. Put a secret key of the page Keys in place of
          the dots. As it stands, it counts for the link but for no variant. To count
          for the variant that was seen, send <code>click_id</code> in place of{' '}
          <code>link_id</code>. The click’s id is in a cookie that scripts cannot
          read; with the setting <code>redirect.click_id_parameter</code> of the
          service, such as <code>"click"</code>, your page is opened with{' '}
          <code>?click=…</code>. Keep that id with the order.
        </>
      ),
      code: server({ link_id: link.id }),
      with_order: server({ click_id: 'ID-OF-THE-CLICK', event_id: 'order-17',
                           value: '19.90', currency: 'EUR' }),
    },
    link.conversion_redirect_url ? {
      title: 'Link',
      text: 'Who follows this address is counted and sent on to the page that you '
        + 'chose in the settings of the link.',
      code: `<a href="${short_base}/c/${link.id}">Download</a>`,
    } : {
      title: 'Link',
      text: (
        <>
          An address that counts who follows it and sends them on. It works when you
          have chosen where it leads:{' '}
          <Anchor to={`/links/${link.id}/edit`}>Edit</Anchor>, More settings.
        </>
      ),
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
        script, pixel and link find the click that led to it by themselves.
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
      {way.code && (
        <Code text={way.code} what={`${way.title} that reports a conversion`} />
      )}
      {way.with_order && (
        <>
          <h3>With order number and value</h3>
          <p>
            Have your shop fill these in. <code>event_id</code> must be different for
            each order, and the same when one order is reported again: what has the
            same one counts once.
          </p>
          <Code text={way.with_order} what={`${way.title} with order and value`} />
        </>
      )}
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
