import type { Analytics } from '../../api';
import { count, counted, country } from '../../format';
import { Card } from '../../ui/basic';
import { Breakdown } from '../../ui/breakdown';
import { WorldMap } from '../../ui/world_map';

/** Countries, referrers, devices, browsers and systems. */
export function Sources({ report }: { report: Analytics }) {
  const total = report.total_clicks;
  const capital = (x: string): string => x.charAt(0).toUpperCase() + x.slice(1);
  const known = (x: string): string => (x === 'unknown' ? 'Unknown' : x);
  return (
    <>
      <Card title="Countries">
        <div class="countries">
          <WorldMap rows={report.top_countries} />
          <div>
            <Breakdown what="Country" rows={report.top_countries} total={total}
                       name={country} />
          </div>
        </div>
      </Card>
      <div class="grid">
        <Card title="Referrers">
          <Breakdown what="Site" rows={report.top_referrers} total={total}
                     name={(x) => (x === 'unknown' ? 'Direct or unknown' : x)} />
        </Card>
        <Card title="Devices">
          <Breakdown what="Device" rows={report.top_devices} total={total}
                     name={capital} />
        </Card>
        <Card title="Browsers">
          <Breakdown what="Browser" rows={report.top_browsers} total={total}
                     name={known} />
        </Card>
        <Card title="Systems">
          <Breakdown what="System" rows={report.top_operating_systems}
                     total={total} name={known} />
        </Card>
      </div>
      <Excluded excluded={report.excluded} />
    </>
  );
}

const reasons = [
  ['preview', 'Link previews',
   'Chat and social apps that fetch the address to show a picture of it'],
  ['crawler', 'Crawlers', 'Search engines and other robots that name themselves'],
  ['prefetch', 'Prefetches',
   'Browsers that load a page in case somebody may want it'],
  ['head', 'Checks', 'Requests for the headers only, such as link checkers send'],
] as const;

function Excluded({ excluded }: { excluded: Analytics['excluded'] }) {
  const all = reasons.reduce((sum, [name]) => sum + excluded[name], 0);
  return (
    <Card title="Left out">
      <p class="hint">
        {all === 0 ? 'Nothing was left out in this range. ' : (
          `${counted(all, 'visit')} ${all === 1 ? 'was' : 'were'} redirected as `
          + 'all others but not counted, as no person was behind them. ')}
      </p>
      <dl class="excluded">
        {reasons.map(([name, title, text]) => (
          <div key={name}>
            <dt>{title}</dt>
            <dd class="figure">{count(excluded[name])}</dd>
            <dd class="hint">{text}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
