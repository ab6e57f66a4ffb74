import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Failure } from '../failure';
import { address_of, follow, take_arrival } from '../router';
import { Icon, type IconName } from './icon';

type Kind = 'primary' | 'plain' | 'quiet' | 'danger';

interface ButtonProps {
  children?: ComponentChildren;
  kind?: Kind;
  icon?: IconName;
  /** Its name, where only the picture is shown. */
  label?: string;
  type?: 'button' | 'submit';
  is_busy?: boolean;
  disabled?: boolean;
  onClick?: () => void;
}

export function Button({ children, kind = 'plain', icon, label, type = 'button',
                         is_busy = false, disabled = false,
                         onClick }: ButtonProps) {
  // A busy button keeps the focus, so it is not disabled.
  return (
    <button type={type} class={`button ${kind}${children ? '' : ' square'}`}
            aria-label={label} title={label} disabled={disabled}
            aria-busy={is_busy}
            onClick={(e) => { if (is_busy) e.preventDefault(); else onClick?.(); }}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface AnchorProps {
  to: string;
  children: ComponentChildren;
  class?: string;
  is_current?: boolean;
}

/** A link to another page of the dashboard. */
export function Anchor({ to, children, class: name, is_current }: AnchorProps) {
  return (
    <a href={address_of(to)} class={name} onClick={follow}
       aria-current={is_current ? 'page' : undefined}>
      {children}
    </a>
  );
}

/**
 * What somebody else wrote. Its direction and its length stay its own matter.
 */
export function Text({ children, class: name = '' }: {
  children: string; class?: string;
}) {
  return <bdi class={`text ${name}`}>{children}</bdi>;
}

/** An address of another site; it is a link only if it is one of the web. */
export function Destination({ url }: { url: string }) {
  return /^https?:\/\//i.test(url) ? (
    <a class="destination" href={url} target="_blank"
       rel="noopener noreferrer nofollow" title={url}>
      <bdi>{url}</bdi>
    </a>
  ) : <bdi class="destination">{url}</bdi>;
}

/** Says that something went wrong, to those who do not see it too. */
export function Alert({ children, kind = 'bad' }: {
  children: ComponentChildren; kind?: 'bad' | 'warn';
}) {
  return (
    <div class={`alert ${kind}`} role="alert">
      <Icon name="warn" />
      <div>{children}</div>
    </div>
  );
}

export function FailureNote({ failure }: { failure: Failure | undefined }) {
  // A lost connection is told at the top of the page.
  if (!failure || failure.status === 0 || failure.status === 401) return null;
  return <Alert>{failure.message}</Alert>;
}

export function Loading({ failure }: { failure: Failure | undefined }) {
  if (failure?.status === 0)
    return <p class="loading" role="status">{failure.message} Trying again…</p>;
  return failure ? <FailureNote failure={failure} />
                 : <p class="loading" role="status">Loading…</p>;
}

interface CardProps {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}

let ids = 0;

export function Card({ title, aside, children, class: name = '' }: CardProps) {
  const id = `card-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
  return (
    <section class={`card ${name}`} aria-labelledby={id}>
      <header class="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** Returns an id for elements that name each other. */
export function fresh_id(): string {
  return `x${++ids}`;
}

/** Says what a page is about; has the focus when somebody comes to the page. */
export function Heading({ children }: { children: ComponentChildren }) {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (take_arrival()) element.current?.focus({ preventScroll: true });
  }, []);
  return <h1 ref={element} tabIndex={-1}>{children}</h1>;
}

/** A table that may be wider than the screen: then it can be scrolled. */
export function Scroller({ label, children }: {
  label: string; children: ComponentChildren;
}) {
  return (
    <div class="scroller" role="region" aria-label={`Table: ${label}`} tabIndex={0}>
      {children}
    </div>
  );
}

interface PagerProps {
  page: number;
  pages: number;
  of: string;
  go: (page: number) => void;
}

export function Pager({ page, pages, of, go }: PagerProps) {
  if (pages <= 1) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${of}`}>
      <Button kind="plain" icon="back" label="Previous page" disabled={page <= 1}
              onClick={() => go(page - 1)} />
      <span aria-live="polite">Page {page} of {pages}</span>
      <Button kind="plain" icon="next" label="Next page" disabled={page >= pages}
              onClick={() => go(page + 1)} />
    </nav>
  );
}
