import { Anchor, Heading } from '../ui/basic';

export function NotFound({ what = 'page' }: { what?: string }) {
  return (
    <main id="main" class="narrow">
      <section class="card empty">
        <Heading>There is no such {what}</Heading>
        <p>It may have been deleted, or the address is not complete.</p>
        <Anchor to="/" class="button primary">Go to all links</Anchor>
      </section>
    </main>
  );
}
