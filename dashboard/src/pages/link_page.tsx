import { useEffect, useState } from 'preact/hooks';
import { short_url, shown_url } from '../addresses';
import type { Analytics, Link } from '../api';
import { failure_of } from '../failure';
import { by_country_again } from '../form';
import { compact, count, country, day, percent } from '../format';
import { use_live } from '../live';
import { change_query, go, place } from '../router';
import { use_store } from '../store';
import { Alert, Anchor, Button, Card, FailureNote, Heading, Loading, Text }
  from '../ui/basic';
import { Copy } from '../ui/copy';
import { DailyChart } from '../ui/daily_chart';
import { Icon } from '../ui/icon';
import { tell } from '../ui/toast';
import { ClicksCard } from './link/clicks_card';
import { ConversionsCard } from './link/conversions_card';
import { QrDialog } from './link/qr';
import { range_of, RangePicker } from './link/range';
import { read_screen, type Screen } from './link/screen';
import { Sources } from './link/sources';
import { VariantsCard } from './link/variants_card';
import { WinnerCard } from './link/winner_card';
import { DeleteLink, leaving, use_switch } from './link_actions';
import { NotFound } from './not_found';

function Figures({ report }: { report: Analytics }) {
  const figures = [
    ['Clicks', compact(report.total_clicks), ''],
    ['Conversions', compact(report.total_conversions), ''],
    ['Conversion rate',
     report.total_clicks ? percent(report.conversion_rate) : '–',
     'Clicks that converted'],
    ['Visitors', compact(report.unique_visitors),
     'Different ones of each day, added up'],
  ];
  return (
    <dl class="figures">
      {figures.map(([name, value, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="figure">{value}</dd>
          {text && <dd class="hint">{text}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** What to do with a link that was just made. */
function Welcome({ link }: { link: Link }) {
  const url = short_url(link.slug);
  return (
    <section class="card welcome" aria-label="Your link is live">
      <h2><Icon name="check" />Your link is live</h2>
      <ol class="steps">
        <li>
          Share <code>{shown_url(url)}</code> <Copy text={url} what="short address" />
        </li>
        <li>
          Tell Turnout what counts: put the script of{' '}
          <a href="#card-conversions">Conversions</a> on the page that visitors reach
          when they buy or sign up.
        </li>
        <li>Come back here. The numbers move by themselves.</li>
      </ol>
      <Button kind="quiet" icon="close" label="Close this note"
              onClick={() => change_query({ new: undefined })} />
    </section>
  );
}

/** Says that rules by country do not hold, and makes them hold again. */
function PromotedByCountry({ link, label, refresh }: {
  link: Link; label: string; refresh: () => void;
}) {
  const [is_busy, set_busy] = useState(false);
  const end = async (): Promise<void> => {
    set_busy(true);
    try {
      await by_country_again(link);
      tell('Each country sees its own page again.');
      refresh();
    } catch (e) {
      tell(failure_of(e).message);
    }
    set_busy(false);
  };
  return (
    <>
      <Alert kind="warn">
        Everybody is sent to <Text>{label}</Text>, whatever the country, because it
        was promoted. The rules below do not hold.
      </Alert>
      <div class="card-actions">
        <Button kind="primary" is_busy={is_busy} onClick={() => void end()}>
          Send by country again
        </Button>
      </div>
    </>
  );
}

function Rules({ link, refresh }: { link: Link; refresh: () => void }) {
  const { default: other = '', ...rules } = link.geo_rules ?? {};
  const promoted = link.variants.find((x) => x.is_winner);
  return (
    <Card title="Who sees which page">
      {promoted && (
        <PromotedByCountry link={link} label={promoted.label} refresh={refresh} />
      )}
      <dl class="rules-list">
        {Object.entries(rules).map(([code, label]) => (
          <div key={code}>
            <dt>{country(code)}</dt>
            <dd><Text>{label as string}</Text></dd>
          </div>
        ))}
        <div>
          <dt>Everyone else</dt>
          <dd><Text>{other}</Text></dd>
        </div>
      </dl>
    </Card>
  );
}

function Head({ link, refresh }: { link: Link; refresh: () => void }) {
  const [open, set_open] = useState<'' | 'qr' | 'delete'>('');
  const [toggle, is_busy] = use_switch(link, refresh);
  const is_leaving = use_store(leaving).has(link.id);
  const url = short_url(link.slug);
  return (
    <header class="page-head link-head">
      <div>
        <Anchor to="/" class="back"><Icon name="back" />Links</Anchor>
        <Heading><Text>{link.name}</Text></Heading>
        <p class="address">
          <span class={`pill ${link.is_active ? 'good' : ''}`}>
            {is_leaving ? 'Being deleted' : link.is_active ? 'Live' : 'Paused'}
          </span>
          <span class="url">{shown_url(url)}</span>
          <Copy text={url} what="short address" />
        </p>
      </div>
      <div class="buttons">
        <Button icon="qr" onClick={() => set_open('qr')}>QR code</Button>
        <Anchor to={`/links/${link.id}/edit`} class="button">
          <Icon name="edit" />Edit
        </Anchor>
        <Button icon={link.is_active ? 'pause' : 'play'} is_busy={is_busy}
                onClick={() => void toggle()}>
          {link.is_active ? 'Pause' : 'Resume'}
        </Button>
        <Button icon="trash" label="Delete link"
                onClick={() => set_open('delete')} />
      </div>
      {open === 'qr' && <QrDialog link={link} on_close={() => set_open('')} />}
      {open === 'delete' && (
        <DeleteLink link={link} on_close={() => set_open('')}
                    after={() => go('/')} />
      )}
    </header>
  );
}

/** All about one link. */
export function LinkPage({ id }: { id: string }) {
  const { query } = use_store(place);
  const range = range_of(query);
  const page = Math.max(1, Number(query.get('page')) || 1);
  const { data, failure, is_stale, refresh } = use_live<Screen>(
    JSON.stringify([range, page]),
    (signal, before) => read_screen(id, range, page, signal, before));
  const name = data?.link.name;
  useEffect(() => {
    if (name) document.title = `${name} – Turnout`;
  }, [name]);
  if (failure?.status === 404)
    return <NotFound what="link" />;
  if (!data)
    return <main id="main"><Loading failure={failure} /></main>;
  const { link, report, winner, clicks } = data;
  return (
    <main id="main" class={is_stale ? 'is-stale' : ''}>
      <Head link={link} refresh={refresh} />
      <FailureNote failure={failure} />
      {query.has('new') && <Welcome link={link} />}
      {!link.is_active && (
        <p class="note">
          This link is paused: visitors get “not found”. Conversions of earlier
          visitors still count.
        </p>
      )}
      {link.routing_type === 'geo'
        ? <Rules link={link} refresh={refresh} />
        : <WinnerCard link={link} winner={winner} refresh={refresh} />}
      <div class="range-head">
        <RangePicker query={query} />
        <p class="hint">
          {day(report.from_date)} – {day(report.to_date)}, days of UTC
        </p>
      </div>
      <Card title="Clicks and conversions">
        <Figures report={report} />
        <DailyChart days={report.daily_stats} />
      </Card>
      {link.imported_clicks !== undefined && (
        <p class="note">
          Another service counted {count(link.imported_clicks)} clicks before this
          link was imported. They are in no number here.
        </p>
      )}
      <VariantsCard link={link} report={report} refresh={refresh}
                    recommended={winner.recommended_variant} />
      <Sources report={report} />
      <ConversionsCard link={link} report={report} />
      <ClicksCard link={link} report={report} clicks={clicks} range={range} />
    </main>
  );
}
