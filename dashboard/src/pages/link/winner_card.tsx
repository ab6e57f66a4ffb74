import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { api, type Link, type Winner } from '../../api';
import { chance, coarse_percent, count, counted, day, odds, percent, time }
  from '../../format';
import { failure_of } from '../../failure';
import { Alert, Anchor, Button, Card, Scroller, Text } from '../../ui/basic';
import { Confirm } from '../../ui/dialog';
import { Icon } from '../../ui/icon';
import { tell } from '../../ui/toast';

interface PromoteProps {
  link: Link;
  variant: { variant_id: string; label: string };
  /** The variant that is recommended, if one is. */
  recommended?: string | null | undefined;
  on_close: () => void;
  refresh: () => void;
}

/** Asks before all traffic goes to one variant. */
export function Promote({ link, variant, recommended, on_close,
                          refresh }: PromoteProps) {
  const others = link.variants.length === 2 ? 'The other gets' : 'The others get';
  return (
    <Confirm title={`Promote ${variant.label}?`} action={`Promote ${variant.label}`}
             on_close={on_close}
             run={async () => {
               await api.promote(link.id, variant.variant_id);
               on_close();
               tell(`All visitors now go to “${variant.label}”.`);
               refresh();
             }}>
      <p>
        From the next visit on, everybody who opens <code>/{link.slug}</code> sees{' '}
        <strong><Text>{variant.label}</Text></strong>. {others} no visitors.
      </p>
      {recommended && recommended !== variant.label && (
        <Alert kind="warn">
          Turnout recommends <Text>{recommended}</Text>, which converts better.
        </Alert>
      )}
      <p>You can split the traffic again at any time, by editing the link.</p>
    </Confirm>
  );
}

/** How far the evidence is, on the way to what decides. */
function EvidenceBar({ winner }: { winner: Winner }) {
  // Evidence multiplies, so that its logarithm grows evenly.
  const share = Math.log(Math.max(winner.evidence, 1))
    / Math.log(winner.evidence_required);
  const text = `Evidence ${odds(winner.evidence)}; `
    + `${count(winner.evidence_required)} : 1 decides`;
  return (
    <div class="evidence">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img"
           aria-label={text}>
        <rect class="track" width="100" height="6" />
        <rect class={share >= 1 ? 'fill done' : 'fill'} height="6"
              width={Math.min(share, 1) * 100} />
      </svg>
      <div class="evidence-ends">
        <span>1 : 1 is chance</span>
        <span><strong>{odds(winner.evidence)}</strong> for the leader</span>
        <span>{count(winner.evidence_required)} : 1 decides</span>
      </div>
    </div>
  );
}

function confidence(x: number): string {
  return x > 0.999 ? `over ${percent(0.999)}` : percent(x);
}

function ClicksBar({ winner }: { winner: Winner }) {
  const share = Math.min(winner.total_clicks / winner.threshold, 1);
  return (
    <div class="evidence">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" role="img"
           aria-label={`${counted(winner.total_clicks, 'click')} of `
                       + count(winner.threshold)}>
        <rect class="track" width="100" height="6" />
        <rect class="fill" height="6" width={share * 100} />
      </svg>
      <div class="evidence-ends">
        <span>{counted(winner.total_clicks, 'first visit')}</span>
        <span>{count(winner.threshold)} before anything is said</span>
      </div>
    </div>
  );
}

function Numbers({ variants, title = 'The numbers behind it', children }: {
  variants: Winner['variants'];
  title?: string;
  children: ComponentChildren;
}) {
  return (
    <details class="as-table">
      <summary>{title}</summary>
      <Scroller label="Numbers of the variants">
        <table>
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" class="number">First visits</th>
              <th scope="col" class="number">Converted</th>
              <th scope="col" class="number">Rate, likely range</th>
              <th scope="col" class="number">Chance to be best</th>
              <th scope="col" class="number">Against its best rival</th>
            </tr>
          </thead>
          <tbody>
            {variants.map((x) => (
              <tr key={x.variant_id}>
                <th scope="row"><Text>{x.label}</Text></th>
                <td class="number">{count(x.clicks)}</td>
                <td class="number">{count(x.conversions)}</td>
                <td class="number">
                  {x.adjusted_rate === null ? '–' : percent(x.adjusted_rate)}
                  <small>
                    {percent(x.credible_interval.lower)} –{' '}
                    {percent(x.credible_interval.upper)}
                  </small>
                </td>
                <td class="number">{chance(x.probability_to_be_best)}</td>
                <td class="number">
                  {x.lift && x.lift.estimate !== null ? (
                    <>
                      {x.lift.estimate > 0 ? '+' : ''}{percent(x.lift.estimate)}
                      <small>
                        {percent(x.lift.lower)} to{' '}
                        {x.lift.upper === null ? 'no limit yet'
                                               : percent(x.lift.upper)}
                      </small>
                    </>
                  ) : '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      <p class="hint">{children}</p>
    </details>
  );
}

/** What was known when a winner was recommended, which stays after a promotion. */
function Recommended({ winner, promoted }: { winner: Winner; promoted: string }) {
  const then = winner.recommendation;
  if (!then)
    return <p class="hint">No winner was recommended before it was promoted.</p>;
  return (
    <>
      <p class="hint">
        On {day(then.decided_at.slice(0, 10))} (UTC)
        {' '}<Text>{then.label === promoted ? 'it' : then.label}</Text> was recommended
        with evidence {odds(then.evidence)} ({count(then.evidence_required)} : 1
        decides), which is {confidence(then.confidence)} confidence.
      </p>
      <Numbers variants={then.variants} title="The numbers of the recommendation">
        First visits as they were counted when it was recommended; they do not change
        any more.
      </Numbers>
    </>
  );
}

function warning_text(warning: string): string {
  if (warning === 'traffic_mismatch')
    return 'Visitors are not spread as the shares say, so these numbers cannot be '
      + 'trusted. Is something in front of the link that caches or repeats visits?';
  const none = /^no_conversions:(.*)$/s.exec(warning);
  if (none)
    return `“${none[1]}” has no conversion at all. The usual cause: its page leads `
      + 'to one that lacks the pixel or the script.';
  return warning;
}

interface State {
  chip: string;
  is_good: boolean;
  title: string;
}

function state_of(link: Link, winner: Winner): State {
  const promoted = link.variants.find((x) => x.is_winner);
  if (promoted)
    return { chip: 'Promoted', is_good: true,
             title: `Everybody sees ${promoted.label}` };
  switch (winner.status) {
    case 'recommended':
      return { chip: 'Winner found', is_good: true,
               title: `${winner.recommended_variant} wins` };
    case 'collecting':
      return { chip: 'Collecting', is_good: false, title: 'Too early to tell' };
    case 'undecided':
      return {
        chip: 'Not decided', is_good: false,
        title: winner.leading_variant
          ? `${winner.leading_variant} is ahead, but that may be chance`
          : 'No variant is ahead',
      };
    default:
      return { chip: 'No comparison', is_good: false, title: 'Nothing to compare' };
  }
}

interface WinnerProps {
  link: Link;
  winner: Winner;
  refresh: () => void;
}

/** Which variant wins, and how sure that is. */
export function WinnerCard({ link, winner, refresh }: WinnerProps) {
  const [is_asking, set_asking] = useState(false);
  const promoted = link.variants.find((x) => x.is_winner);
  const state = state_of(link, winner);
  const started = Date.parse(winner.evaluation_started_at);
  // Of a few visits it says nothing yet that one of the pages has no conversion.
  const warnings = winner.warnings.filter(
    (x) => winner.status !== 'collecting' || !x.startsWith('no_conversions:'));
  const is_winner = promoted
    ? winner.recommendation?.label === promoted.label : state.is_good;
  const is_compared = winner.status !== 'not_applicable';
  const recommend = async (): Promise<void> => {
    try {
      await api.update_link(link.id, { auto_winner: true });
      tell('A winner will be recommended when there is one.');
      refresh();
    } catch (e) {
      tell(failure_of(e).message);
    }
  };
  const best = winner.recommended_variant_id && winner.recommended_variant !== null
    ? { variant_id: winner.recommended_variant_id,
        label: winner.recommended_variant } : undefined;
  return (
    <Card title="Which variant wins?" class={`winner${state.is_good ? ' is-good' : ''}`}
          aside={<span class={`pill${state.is_good ? ' good' : ''}`}>{state.chip}</span>}>
      <p class="verdict">
        {is_winner && <Icon name="crown" />}
        <Text>{state.title}</Text>
      </p>
      <p class="summary"><Text>{winner.summary}</Text></p>
      {winner.status === 'collecting' && <ClicksBar winner={winner} />}
      {(winner.status === 'undecided' || winner.status === 'recommended')
        && <EvidenceBar winner={winner} />}
      {winner.status === 'undecided' && winner.confidence > 0 && (
        <p class="hint">
          That is {confidence(winner.confidence)} confidence;{' '}
          {coarse_percent(winner.confidence_target)} is asked for. It holds however
          often you look.
        </p>
      )}
      {winner.status === 'collecting' && started > Date.parse(link.created_at) && (
        <p class="hint">
          Counted since {time(winner.evaluation_started_at)}, when the pages of this
          link or how visitors are sent to them changed.
        </p>
      )}
      {warnings.map((x) => (
        <Alert kind="warn" key={x}><Text>{warning_text(x)}</Text></Alert>
      ))}
      {best && !promoted && (
        <div class="card-actions">
          <Button kind="primary" icon="crown" onClick={() => set_asking(true)}>
            Promote {best.label}
          </Button>
          <span class="hint">Nothing changes until you do.</span>
        </div>
      )}
      {promoted && (
        <div class="card-actions">
          <Anchor to={`/links/${link.id}/edit?even=1`} class="button">
            <Icon name="split" />Split the traffic again
          </Anchor>
        </div>
      )}
      {is_compared && !winner.auto_winner && !winner.recommendation && (
        <div class="card-actions">
          <span class="hint">
            Recommending is switched off for this link: nothing is kept when a
            winner shows.
          </span>
          <Button onClick={() => void recommend()}>Switch it on</Button>
        </div>
      )}
      {promoted && <Recommended winner={winner} promoted={promoted.label} />}
      {is_compared && !promoted && (
        <Numbers variants={winner.variants}>
          Counted are first visits since{' '}
          {day(winner.evaluation_started_at.slice(0, 10))} (UTC): who comes back sees
          the same page again, which proves nothing new.
          {winner.status !== 'recommended' && ' A high chance to be best is not '
            + 'enough yet: who looks early and often sees one by luck sooner or '
            + 'later, so only the evidence decides.'}
          {winner.weights_changed
            && ' Shares were changed meanwhile: clicks under the same shares are compared '
              + 'with each other, so that a rate here can differ from that of all clicks.'}
        </Numbers>
      )}
      {is_asking && best && (
        <Promote link={link} variant={best} refresh={refresh}
                 on_close={() => set_asking(false)} />
      )}
    </Card>
  );
}
