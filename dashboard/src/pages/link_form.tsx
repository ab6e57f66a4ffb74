import { useEffect, useRef, useState } from 'preact/hooks';
import { short_base, short_url, shown_url } from '../addresses';
import { api, type Link, type Schemas } from '../api';
import { countries } from '../countries';
import { use_draft } from '../draft';
import { failure_of, is_called_off } from '../failure';
import { time } from '../format';
import { about_slug, changes_shares, create, form_of, lacks_scheme, max_variants,
         merged, mistakes_of, new_form, next_key, next_label, refusal_of,
         restarts_evaluation, save, slug_trouble, split_evenly, still_promoted,
         weight_sum, type LinkForm as Form, type Refusal, type RuleRow,
         type VariantRow } from '../form';
import { same } from '../live';
import { go, place } from '../router';
import { has_expired } from '../session';
import { use_store } from '../store';
import { Alert, Anchor, Button, Heading, Text } from '../ui/basic';
import { Choices, Field, Input } from '../ui/field';
import { Icon } from '../ui/icon';
import { tell } from '../ui/toast';

type Change = (changes: Partial<Form>) => void;

interface PartProps {
  form: Form;
  change: Change;
  error: (field: string) => string | undefined;
}

/** Says while it is typed whether a short address is free. */
function SlugField({ form, change, error }: PartProps) {
  const slug = form.slug.trim();
  const trouble = slug === '' ? '' : slug_trouble(slug);
  const [state, set_state] = useState<Schemas['SlugCheck']>();
  const [unasked, set_unasked] = useState('');
  useEffect(() => {
    set_unasked('');
    if (slug === '' || trouble) return undefined;
    const asking = new AbortController();
    const timer = setTimeout(() => {
      api.slug(slug, asking.signal).then(set_state, (e) => {
        if (!is_called_off(e)) set_unasked(failure_of(e).message);
      });
    }, 250);
    return () => {
      clearTimeout(timer);
      asking.abort();
    };
  }, [slug]);
  const known = !trouble && slug !== '' && state?.slug === slug ? state : undefined;
  return (
    <Input label="Short address" value={form.slug} prefix={`${shown_url(short_base)}/`}
           set={(x) => change({ slug: x })} spellcheck={false} autocomplete="off"
           placeholder="spring-sale"
           error={trouble || error('slug') || (known?.detail
             ? about_slug(known.detail) : undefined)}
           hint={(
             <span aria-live="polite">
               {known?.available && (
                 <span class="good"><Icon name="check" />It is free</span>
               )}
               {slug === '' && 'Leave it empty and one is made for you.'}
               {slug !== '' && !known && !trouble
                 && (unasked ? `Not checked: ${unasked}` : 'Checking…')}
             </span>
           )} />
  );
}

function WeightBar({ rows }: { rows: VariantRow[] }) {
  const sum = Math.max(weight_sum(rows), 100);
  let x = 0;
  return (
    <svg class="weights" viewBox="0 0 100 4" preserveAspectRatio="none"
         aria-hidden="true">
      <rect class="track" width="100" height="4" />
      {rows.map((row, i) => {
        const width = ((Number(row.weight) || 0) / sum) * 100;
        x += width;
        return <rect key={row.key} class={`part-${i}`} x={x - width}
                     width={Math.max(width - 0.4, 0)} height="4" />;
      })}
    </svg>
  );
}

function WeightSum({ rows, is_refused }: {
  rows: VariantRow[]; is_refused: boolean;
}) {
  const sum = weight_sum(rows);
  const text = sum === 100 ? 'Adds up to 100 %'
    : sum < 100 ? `Adds up to ${sum} %: ${100 - sum} missing`
                : `Adds up to ${sum} %: ${sum - 100} too many`;
  return (
    <span class={`weight-sum ${sum === 100 ? 'good' : 'bad'}`} tabIndex={-1}
          {...(is_refused ? { role: 'alert' } : { 'aria-live': 'polite' })}>
      <Icon name={sum === 100 ? 'check' : 'warn'} />{text}
    </span>
  );
}

/** Offers to complete an address without a scheme. */
function scheme_offer(url: string, set: (url: string) => void) {
  return lacks_scheme(url) ? (
    <Button onClick={() => set(`https://${url.trim()}`)}>
      Put https:// before it
    </Button>
  ) : undefined;
}

function Variants({ form, change, error }: PartProps) {
  const rows = form.variants;
  const is_split = form.routing === 'ab_test';
  const set = (key: number, changes: Partial<VariantRow>): void => change({
    variants: rows.map((x) => (x.key === key ? { ...x, ...changes } : x)),
  });
  const even = (next: VariantRow[]): VariantRow[] => (
    // Who split evenly means to go on so.
    same(rows, split_evenly(rows)) || !is_split ? split_evenly(next) : next);
  const add = (): void => change({
    variants: even([...rows, { key: next_key(rows), label: next_label(rows),
                               url: '', weight: '0' }]),
  });
  const remove = (key: number): void => {
    const left = rows.filter((x) => x.key !== key);
    const first = left[0]!.key;
    change({
      variants: even(left),
      rules: form.rules.map((x) => (x.variant === key ? { ...x, variant: first }
                                                      : x)),
      fallback: form.fallback === key ? first : form.fallback,
    });
  };
  return (
    <fieldset class="variants">
      <legend>Pages that visitors are sent to</legend>
      {rows.map((row, i) => (
        <div class={`variant-row${is_split ? '' : ' no-weight'}`} key={row.key}
             role="group" aria-label={`Variant ${i + 1}`}>
          <Input class="label" label="Label" value={row.label}
                 set={(x) => set(row.key, { label: x })} autocomplete="off"
                 error={error(`variants.${i}.label`)} />
          <Input class="url" label="Destination" value={row.url} type="url"
                 inputMode="url" autocomplete="off" spellcheck={false}
                 placeholder="https://example.com/page"
                 set={(x) => set(row.key, { url: x })}
                 error={error(`variants.${i}.destination_url`)}
                 hint={scheme_offer(row.url, (url) => set(row.key, { url }))} />
          {is_split && (
            <Input class="weight" label="Share in %" value={row.weight}
                   inputMode="numeric" autocomplete="off"
                   set={(x) => set(row.key, { weight: x })}
                   error={error(`variants.${i}.weight`)} />
          )}
          <Button kind="quiet" icon="trash"
                  label={`Remove variant ${row.label || i + 1}`}
                  disabled={rows.length <= 2} onClick={() => remove(row.key)} />
        </div>
      ))}
      {is_split && <WeightBar rows={rows} />}
      {error('variants') && <Alert>{error('variants')}</Alert>}
      <div class="variant-foot">
        <Button icon="plus" onClick={add} disabled={rows.length >= max_variants}>
          Add a variant
        </Button>
        {is_split && (
          <Button icon="split" onClick={() => change({
            variants: split_evenly(rows),
          })}>
            Split evenly
          </Button>
        )}
        {is_split && (
          <WeightSum rows={rows} is_refused={error('weights') !== undefined} />
        )}
      </div>
      <p class="hint">
        Two to five pages.{is_split && ' Let them differ in one thing, so that it is '
          + 'known what made the difference.'}
      </p>
    </fieldset>
  );
}

function GeoRules({ form, change, error }: PartProps) {
  const set = (key: number, changes: Partial<RuleRow>): void => change({
    rules: form.rules.map((x) => (x.key === key ? { ...x, ...changes } : x)),
  });
  const options = form.variants.map((x, i) => (
    <option key={x.key} value={x.key}>{x.label || `Variant ${i + 1}`}</option>
  ));
  const taken = new Set(form.rules.map((x) => x.country));
  return (
    <fieldset class="rules">
      <legend>Who sees which page</legend>
      {form.rules.map((rule, i) => (
        <div class="rule-row" key={rule.key} role="group"
             aria-label={`Rule ${i + 1}`}>
          <Field label="Visitors from" error={error(`rules.${i}.country`)}>
            {(wiring) => (
              <select {...wiring} value={rule.country}
                      onChange={(e) => set(rule.key,
                                           { country: e.currentTarget.value })}>
                <option value="">Choose a country</option>
                {countries.filter(([code]) =>
                  code === rule.country || !taken.has(code))
                  .map(([code, name]) => (
                    <option key={code} value={code}>{name}</option>
                  ))}
              </select>
            )}
          </Field>
          <Field label="see">
            {(wiring) => (
              <select {...wiring} value={rule.variant}
                      onChange={(e) => set(rule.key, {
                        variant: Number(e.currentTarget.value),
                      })}>
                {options}
              </select>
            )}
          </Field>
          <Button kind="quiet" icon="trash" label={`Remove rule ${i + 1}`}
                  onClick={() => change({
                    rules: form.rules.filter((x) => x.key !== rule.key),
                  })} />
        </div>
      ))}
      <Field label="Everyone else sees" class="fallback">
        {(wiring) => (
          <select {...wiring} value={form.fallback}
                  onChange={(e) => change({
                    fallback: Number(e.currentTarget.value),
                  })}>
            {options}
          </select>
        )}
      </Field>
      {error('geo_rules') && <Alert>{error('geo_rules')}</Alert>}
      <Button icon="plus" onClick={() => change({
        rules: [...form.rules, {
          key: next_key(form.rules), country: '',
          variant: form.variants.at(-1)!.key,
        }],
      })}>
        Add a country
      </Button>
    </fieldset>
  );
}

function Routing({ form, change }: PartProps) {
  const choices = [
    ['ab_test', 'Split test',
     'Visitors are spread at random, and Turnout finds out which page wins.'],
    ['geo', 'By country',
     'Each country sees the page that you choose for it. There is no winner.'],
  ] as const;
  return (
    <Choices legend="How visitors are sent" name="routing" choices={choices}
             value={form.routing} set={(routing) => change({ routing })} />
  );
}

function WinnerPart({ form, change, error }: PartProps) {
  return (
    <fieldset>
      <legend>Winner</legend>
      <label class="check">
        <input type="checkbox" checked={form.auto_winner}
               onChange={(e) => change({ auto_winner: e.currentTarget.checked })} />
        <span>
          <strong>Recommend a winner when the evidence is strong enough</strong>
          <span class="hint">
            It is only a recommendation: traffic changes when you say so.
          </span>
        </span>
      </label>
      <Input label="Not before so many clicks" value={form.threshold}
             inputMode="numeric" autocomplete="off" class="short"
             set={(x) => change({ threshold: x })}
             error={error('auto_winner_threshold')}
             hint="At least 10. More clicks make the first answer steadier." />
    </fieldset>
  );
}

interface FormProps {
  /** The link to change; none makes a new one. */
  link?: Link;
}

/** Asks what shall be done when a link was changed elsewhere too. */
function Newer({ link, load, save }: {
  link: Link; load: () => void; save: () => void;
}) {
  return (
    <Alert kind="warn">
      <p>
        This link was changed elsewhere after you opened it here, last at{' '}
        {time(link.updated_at)}. Nothing is saved yet. You can save what you changed,
        and leave the rest as it is there now; or give up what you typed.
      </p>
      <div class="buttons">
        <Button onClick={save}>Save my changes</Button>
        <Button onClick={load}>Load the newer version</Button>
      </div>
    </Alert>
  );
}

/** Creates or changes a link. */
export function LinkForm({ link: opened }: FormProps) {
  const [link, set_link] = useState(opened);
  const back = link ? `/links/${link.id}` : '/';
  const [start, set_start] = useState(() => (link ? form_of(link) : new_form()));
  const is_to_be_even = use_store(place).query.has('even');
  const { value: form, change, was_kept, forget }
    = use_draft<Form>(link ? `edit:${link.id}` : 'new', start);
  // What was typed before may be older than what is there now.
  const [newer, set_newer] = useState(
    link && link.updated_at !== form.seen ? link : undefined);
  const [refusals, set_refusals] = useState<Refusal[]>([]);
  const [is_busy, set_busy] = useState(false);
  useEffect(() => {
    if (is_to_be_even) change({ variants: split_evenly(form.variants) });
  }, []);
  const [has_more] = useState(form.redirect !== '');
  const element = useRef<HTMLFormElement>(null);
  // The answer to what was sent says nothing of what is typed since.
  const set: Change = (changes) => {
    if (refusals.length > 0) set_refusals(still_wrong({ ...form, ...changes }));
    change(changes);
  };
  // Of what was wrong, what the page itself can see to be wrong still.
  const still_wrong = (next: Form): Refusal[] => {
    const told = new Set(refusals.map((x) => x.field));
    return mistakes_of(next, !link).filter((x) => told.has(x.field));
  };
  const error = (field: string): string | undefined =>
    refusals.find((x) => x.field === field)?.text;
  const [sent, set_sent] = useState(0);
  // "Your session has ended" holds until it goes on.
  useEffect(() => has_expired.watch((x) => { if (!x) set_refusals([]); }), []);
  useEffect(() => {
    if (refusals.length > 0)
      element.current?.querySelector<HTMLElement>(
        '[aria-invalid="true"], [role="alert"]:not(.warn)')?.focus();
  }, [sent]);

  // Unless the link is as it was when `seen`, it is asked what shall be done.
  const submit = async (seen = form.seen, what = form): Promise<void> => {
    const mistakes = mistakes_of(what, !link);
    set_refusals(mistakes);
    if (mistakes.length > 0) {
      set_sent((x) => x + 1);
      return;
    }
    set_busy(true);
    try {
      if (link) {
        const now = await api.link(link.id);
        if (now.updated_at !== seen) {
          set_newer(now);
          set_busy(false);
          return;
        }
        await save(now, what, (x) => {
          set_newer(undefined);
          change({ seen: x.updated_at });
        });
        forget();
        tell('Your changes are live.');
        go(back);
      } else {
        const made = await create(form);
        forget();
        go(`/links/${made.id}?new=1`);
      }
    } catch (e) {
      const { status, message } = failure_of(e);
      set_refusals([status === 0 || status >= 500 || status === 429
        ? { field: '', text: `${message} Nothing was lost: send it again.` }
        : refusal_of(message, form)]);
      set_sent((x) => x + 1);
    }
    set_busy(false);
  };

  const load = (next: Link): void => {
    set_link(next);
    set_start(form_of(next));
    forget(form_of(next));
    set_newer(undefined);
    set_refusals([]);
    // Where it was pressed is gone.
    element.current?.querySelector('input')?.focus();
  };

  const part = { form, change: set, error };
  const promoted = link && still_promoted(link, form);
  return (
    <main id="main" class="narrow">
      <header class="page-head">
        <Heading>{link ? 'Edit link' : 'New link'}</Heading>
      </header>
      {was_kept && (
        <p class="kept" role="status">
          What you typed before is still here.
          <Button kind="quiet" onClick={() => {
            set_refusals([]);
            if (newer) load(newer);
            else forget();
          }}>
            Start over
          </Button>
        </p>
      )}
      <form ref={element} class="link-form" noValidate onSubmit={(e) => {
        e.preventDefault();
        if (!is_busy) void submit();
      }}>
        <section class="card">
          <Input label="Name" value={form.name} set={(x) => set({ name: x })}
                 autocomplete="off" placeholder="Spring sale"
                 error={error('name')} hint="Only you see it." />
          {link ? (
            <p class="fixed">
              <span>Short address</span>
              <code>{shown_url(short_url(link.slug))}</code>
              <span class="hint">It never changes, so links that you shared go on
                working.</span>
            </p>
          ) : <SlugField {...part} />}
        </section>
        <section class="card">
          <Routing {...part} />
          <Variants {...part} />
          {form.routing === 'geo' && <GeoRules {...part} />}
          {link && restarts_evaluation(link, form) && (
            <p class="note" role="status">
              With these changes the search for a winner starts again, as the
              numbers so far are of other pages. Totals stay.
            </p>
          )}
          {link && changes_shares(link, form) && (
            <p class="note" role="status">
              Changed shares do not start the search for a winner anew: clicks under
              the old shares go on counting, like compared with like.
            </p>
          )}
          {promoted !== undefined && form.routing === 'geo' && (
            <>
              <Alert kind="warn">
                Everybody is sent to <Text>{promoted}</Text>, whatever the country,
                because it was promoted.
              </Alert>
              <Button onClick={() => set({ variants: split_evenly(form.variants) })}>
                Send by country again when I save
              </Button>
            </>
          )}
        </section>
        {form.routing === 'ab_test' && (
          <section class="card"><WinnerPart {...part} /></section>
        )}
        <details class="card more" open={has_more}>
          <summary>More settings</summary>
          <Input label="Where a conversion link leads" value={form.redirect}
                 type="url" inputMode="url" autocomplete="off" spellcheck={false}
                 placeholder="https://example.com/thanks"
                 set={(x) => set({ redirect: x })}
                 error={error('conversion_redirect_url')}
                 hint={scheme_offer(form.redirect, (x) => set({ redirect: x }))
                   ?? `Optional. Who follows the link's conversion address is
                       counted as a conversion and sent here.`} />
        </details>
        {error('') && <Alert>{error('')}</Alert>}
        {newer && (
          <Newer link={newer} load={() => load(newer)}
                 save={() => {
                   const next = merged(newer, form);
                   change(next);
                   void submit(next.seen, next);
                 }} />
        )}
        <div class="form-actions">
          <Anchor to={back} class="button">Cancel</Anchor>
          <Button kind="primary" type="submit" is_busy={is_busy}>
            {link ? (is_busy ? 'Saving…' : 'Save changes')
                  : (is_busy ? 'Creating…' : 'Create link')}
          </Button>
        </div>
      </form>
    </main>
  );
}
