import { api, type Link, type Schemas, type VariantInput } from './api';
import { same } from './live';
import { even_split } from './stats';

// What the form of a link holds, what is sent of it, and where a refusal belongs.

export interface VariantRow {
  /** Tells rows apart while their labels are typed. */
  key: number;
  label: string;
  url: string;
  weight: string;
}

export interface RuleRow {
  key: number;
  country: string;
  /** The variant's key, so that a rule follows when its label changes. */
  variant: number;
}

export interface LinkForm {
  name: string;
  slug: string;
  routing: Link['routing_type'];
  variants: VariantRow[];
  rules: RuleRow[];
  /** The variant for all other countries. */
  fallback: number;
  auto_winner: boolean;
  threshold: string;
  redirect: string;
  /** Names the creation, so that a repeat makes no second link. */
  creation: string;
  /** When the link was last changed, as far as the form knows; '' of a new one. */
  seen: string;
  /** What the link had when it was opened. */
  opened?: Parts;
}

/** What of a form is changed as a whole: rules name variants by their rows. */
type Parts = ReturnType<typeof parts_of>;

const letters = 'ABCDE';

export const max_variants = letters.length;

function random_name(): string {
  return [...crypto.getRandomValues(new Uint8Array(12))]
    .map((x) => x.toString(16).padStart(2, '0')).join('');
}

export function new_form(): LinkForm {
  return {
    name: '',
    slug: '',
    routing: 'ab_test',
    variants: [{ key: 1, label: 'A', url: '', weight: '50' },
               { key: 2, label: 'B', url: '', weight: '50' }],
    rules: [],
    fallback: 1,
    auto_winner: true,
    threshold: '100',
    redirect: '',
    creation: random_name(),
    seen: '',
  };
}

export function form_of(link: Link): LinkForm {
  const variants = link.variants.map((x, i) => ({
    key: i + 1, label: x.label, url: x.destination_url, weight: String(x.weight),
  }));
  const key_of = (label: string): number =>
    variants.find((x) => x.label === label)?.key ?? 1;
  const { default: fallback = '', ...rules } = link.geo_rules ?? {};
  const form = {
    name: link.name,
    slug: link.slug,
    routing: link.routing_type,
    variants,
    rules: Object.entries(rules).map(([country, label], i) => ({
      key: i + 1, country, variant: key_of(label as string),
    })),
    fallback: key_of(fallback),
    auto_winner: link.auto_winner,
    threshold: String(link.auto_winner_threshold),
    redirect: link.conversion_redirect_url ?? '',
    creation: '',
    seen: link.updated_at,
  };
  return { ...form, opened: parts_of(form) };
}

function parts_of(form: Omit<LinkForm, 'opened'>) {
  const { routing, variants, rules, fallback } = form;
  return {
    name: { name: form.name },
    pages: { routing, variants, rules, fallback },
    auto_winner: { auto_winner: form.auto_winner },
    threshold: { threshold: form.threshold },
    redirect: { redirect: form.redirect },
  };
}

/** A form of a link with what was changed in another one since it was opened. */
export function merged(link: Link, form: LinkForm): LinkForm {
  const { opened } = form;
  const mine = parts_of(form);
  const changed = Object.entries(mine).filter(
    ([part, x]) => !opened || !same(x, opened[part as keyof Parts]));
  return Object.assign(form_of(link), ...changed.map(([, x]) => x)) as LinkForm;
}

/** A key that no row has. */
export function next_key(rows: { key: number }[]): number {
  return Math.max(0, ...rows.map((x) => x.key)) + 1;
}

/** A letter that no variant is named by. */
export function next_label(rows: VariantRow[]): string {
  const taken = new Set(rows.map((x) => x.label));
  return [...letters].find((x) => !taken.has(x)) ?? '';
}

export function split_evenly(rows: VariantRow[]): VariantRow[] {
  const weights = even_split(rows.length);
  return rows.map((x, i) => ({ ...x, weight: String(weights[i]) }));
}

export function weight_sum(rows: VariantRow[]): number {
  return rows.reduce((sum, x) => sum + (Number(x.weight) || 0), 0);
}

const is_whole = (text: string): boolean => /^\s*\d+\s*$/.test(text);

/** A number if it is one; if not, the service says what is wrong. */
function number_or_text(text: string): number {
  return (is_whole(text) ? Number(text) : text) as number;
}

export function variants_of(form: LinkForm): VariantInput[] {
  // By country nobody sees the shares, but they have to be right all the same.
  const rows = form.routing === 'geo' && weight_sum(form.variants) !== 100
    ? split_evenly(form.variants) : form.variants;
  return rows.map((x) => ({
    label: x.label,
    destination_url: x.url.trim(),
    weight: number_or_text(x.weight),
  }));
}

function settings_of(form: LinkForm) {
  const label_of = (key: number): string =>
    form.variants.find((x) => x.key === key)?.label ?? '';
  const rules = form.routing !== 'geo' ? null : {
    ...Object.fromEntries(form.rules.filter((x) => x.country)
      .map((x) => [x.country, label_of(x.variant)])),
    default: label_of(form.fallback),
  };
  return {
    name: form.name,
    routing_type: form.routing,
    geo_rules: rules,
    auto_winner: form.auto_winner,
    auto_winner_threshold: number_or_text(form.threshold),
    conversion_redirect_url: form.redirect.trim() || null,
  };
}

/** A number of a text; the same for the same. */
function digest(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; ++i) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x85ebca6b);
  }
  return (a >>> 0).toString(16) + (b >>> 0).toString(16);
}

/** Makes the link of a form. */
export function create(form: LinkForm): Promise<Schemas['CreatedLink']> {
  const body: Schemas['LinkCreate'] = {
    ...settings_of(form),
    slug: form.slug.trim() || null,
    variants: variants_of(form),
  };
  // The answer may have been lost: then the same body is given it again, and a
  // corrected one is a creation of its own.
  return api.create_link(body, `${form.creation}-${digest(JSON.stringify(body))}`);
}

/**
 * Saves what differs from a link. Rules name variants, so that the order depends
 * on which labels come and go.
 * @param after is told how the link is after each step, as a later one may fail
 */
export async function save(link: Link, form: LinkForm,
                           after: (link: Link) => void): Promise<void> {
  const variants = variants_of(form);
  const settings = settings_of(form);
  const has_new_variants = !same(variants, variants_of(form_of(link)));
  const has_new_settings = !same(settings, settings_of(form_of(link)));
  const put_variants = async (): Promise<void> => {
    if (has_new_variants) after(await api.put_variants(link.id, variants));
  };
  const put_settings = async (): Promise<void> => {
    if (has_new_settings) after(await api.update_link(link.id, settings));
  };
  const named_by = (rules: object | null): string[] => Object.values(rules ?? {});
  const is_in = (labels: { label: string }[]) => (label: string): boolean =>
    labels.some((x) => x.label === label);
  if (!has_new_variants || named_by(settings.geo_rules).every(
    is_in(link.variants))) {
    await put_settings();
    await put_variants();
    return;
  }
  if (named_by(link.geo_rules).every(is_in(variants))) {
    await put_variants();
    await put_settings();
    return;
  }
  // Both sets of rules name labels that the other set of variants lacks.
  after(await api.update_link(link.id, {
    routing_type: 'ab_test', geo_rules: null,
  }));
  try {
    await put_variants();
  } catch (e) {
    after(await api.update_link(link.id, {
      routing_type: link.routing_type, geo_rules: link.geo_rules,
    }));
    throw e;
  }
  await put_settings();
}

/** Ends a promotion, which any change of the shares does; the rules stay. */
export async function by_country_again(link: Link): Promise<void> {
  const form = form_of(link);
  await api.put_variants(link.id, variants_of({
    ...form, variants: split_evenly(form.variants),
  }));
}

/** The label of the promoted variant, as long as saving keeps it promoted. */
export function still_promoted(link: Link, form: LinkForm): string | undefined {
  const label = link.variants.find((x) => x.is_winner)?.label;
  const row = form.variants.find((x) => x.label === label);
  return row && Number(row.weight) === 100 ? label : undefined;
}

/** Whether saving changes shares, and nothing else that is compared. */
export function changes_shares(link: Link, form: LinkForm): boolean {
  return form.routing === 'ab_test' && !restarts_evaluation(link, form)
    && !same(variants_of(form_of(link)), variants_of(form));
}

/** Whether saving makes the search for a winner start again. */
export function restarts_evaluation(link: Link, form: LinkForm): boolean {
  const pages = (rows: VariantRow[]): string[] =>
    rows.map((x) => `${x.label}\n${x.url.trim()}`).sort();
  return !same(pages(form_of(link).variants), pages(form.variants))
    || link.routing_type !== form.routing;
}

/** What the service says of a short address, which the page never calls slug. */
export function about_slug(detail: string): string {
  return sentence(detail.replace(/^slug\b/i, 'Short address'));
}

/** What is wrong with the letters of a short address; '' is nothing. */
export function slug_trouble(slug: string): string {
  const odd = /[^A-Za-z0-9_-]/u.exec(slug)?.[0];
  if (odd !== undefined)
    return `Only the letters A to Z, digits, - and _ can be in it, not ${
      /\s/.test(odd) ? 'a space' : `“${odd}”`}`;
  return slug.length < 3 || slug.length > 32 ? 'It must be 3 to 32 characters long'
                                             : '';
}

/** Whether an address only lacks its https://. */
export function lacks_scheme(url: string): boolean {
  return /^([\w-]+\.)+[a-z][\w-]+(:\d+)?([/?#]\S*)?$/i.test(url.trim());
}

function url_trouble(url: string, missing: string): string {
  if (url === '') return missing;
  if (!/^https?:\/\/[^\s/?#]/i.test(url))
    return 'It must begin with https:// or http://';
  if (/\s/.test(url)) return 'There is a space in it; write %20';
  return url.length > 2048 ? 'It must be at most 2,048 characters long' : '';
}

/** All that can be seen to be wrong before the form is sent. */
export function mistakes_of(form: LinkForm, is_new: boolean): Refusal[] {
  const found: Refusal[] = [];
  const note = (field: string, text: string): void => {
    if (text) found.push({ field, text });
  };
  if (form.name.trim() === '') note('name', 'Give the link a name');
  if ([...form.name.trim()].length > 100)
    note('name', 'It must be at most 100 characters long');
  const slug = form.slug.trim();
  if (is_new && slug) note('slug', slug_trouble(slug));
  const labels = form.variants.map((x) => x.label);
  form.variants.forEach((x, i) => {
    const at = `variants.${i}`;
    if (x.label.trim() === '') note(`${at}.label`, 'Give it a label');
    else if (labels.indexOf(x.label) < i)
      note(`${at}.label`, 'This label is used more than once');
    note(`${at}.destination_url`,
         url_trouble(x.url.trim(), 'Enter the web address of this page'));
    if (form.routing === 'ab_test' && !(is_whole(x.weight) && Number(x.weight) <= 100))
      note(`${at}.weight`, 'A whole number, 0 to 100');
  });
  if (form.routing === 'ab_test') {
    if (form.variants.every((x) => is_whole(x.weight)) && weight_sum(form.variants) !== 100)
      note('weights', 'The shares must add up to 100 %');
    if (!is_whole(form.threshold) || Number(form.threshold) < 10)
      note('auto_winner_threshold', 'A whole number, at least 10');
  } else {
    if (form.rules.length === 0) note('geo_rules', 'Add at least one country');
    form.rules.forEach((x, i) => {
      if (!x.country) note(`rules.${i}.country`, 'Choose a country');
    });
  }
  const redirect = form.redirect.trim();
  if (redirect) note('conversion_redirect_url', url_trouble(redirect, ''));
  return found;
}

/** What is wrong, and with which field: '' is the form as a whole. */
export interface Refusal {
  field: string;
  text: string;
}

export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Finds the field that a refusal of the service is about. */
export function refusal_of(detail: string, form: LinkForm): Refusal {
  const variant = /^(field required: )?(?:variants)?\[(\d+)\]\.(\w+) ?(.*)$/s
    .exec(detail);
  if (variant) {
    const [, required, i, field, text] = variant;
    return {
      field: `variants.${i}.${field}`,
      text: required ? 'This field is required' : sentence(text!),
    };
  }
  const twice = /^Variant label '(.*)' is used more than once$/s.exec(detail);
  if (twice) {
    const labels = form.variants.map((x) => x.label);
    return { field: `variants.${labels.lastIndexOf(twice[1]!)}.label`,
             text: detail };
  }
  if (/^Variant weights /.test(detail)) return { field: 'weights', text: detail };
  if (/^variants /.test(detail))
    return { field: 'variants', text: sentence(detail) };
  if (/^geo_rules|^Variant label '.*' does not exist/s.test(detail))
    return { field: 'geo_rules', text: sentence(detail) };
  const plain = /^(field required: )?(name|auto_winner_threshold|slug|conversion_redirect_url)\b(.*)$/is
    .exec(detail);
  if (plain) {
    const [, required, field, text] = plain;
    return {
      field: field!.toLowerCase(),
      text: required ? 'This field is required'
        : /^slug$/i.test(field!) ? about_slug(detail) : sentence(text!.trim()),
    };
  }
  return { field: '', text: detail };
}
