import { api_base } from './addresses';
import { watched } from './connection';
import { session_headers } from './session';

export interface SlugState {
  is_free: boolean;
  text: string;
}

/** Asks whether a short address can be taken. */
export async function look_up(slug: string,
                              signal: AbortSignal): Promise<SlugState> {
  const answer = await watched(fetch(
    `${api_base}/public/slugs/${encodeURIComponent(slug)}`,
    { headers: session_headers, signal }));
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  const { available, detail } = await answer.json();
  return { is_free: available, text: available ? 'It is free' : detail };
}
