import { useEffect, useState } from 'preact/hooks';
import { api, type Link } from '../api';
import { Failure, failure_of, is_called_off } from '../failure';
import { Loading } from '../ui/basic';
import { LinkForm } from './link_form';
import { NotFound } from './not_found';

/** Reads a link once, then lets it be changed. */
export function EditPage({ id }: { id: string }) {
  const [link, set_link] = useState<Link>();
  const [failure, set_failure] = useState<Failure>();
  useEffect(() => {
    const reading = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = (): void => {
      api.link(id, reading.signal).then(set_link, (e) => {
        if (is_called_off(e)) return;
        const why = failure_of(e);
        set_failure(why);
        if (why.status !== 404)
          timer = setTimeout(read, 3000);
      });
    };
    read();
    return () => {
      reading.abort();
      clearTimeout(timer);
    };
  }, [id]);
  if (link) return <LinkForm link={link} />;
  if (failure?.status === 404)
    return <NotFound what="link" />;
  return <main id="main" class="narrow"><Loading failure={failure} /></main>;
}
