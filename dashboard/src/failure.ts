/** Why a request failed, in words for people. */
export class Failure extends Error {
  /** The status of the answer, 0 if there was none. */
  readonly status: number;
  /** Seconds that the service asks to wait. */
  readonly retry_after: number;

  constructor(status: number, text: string, retry_after = 0) {
    super(text);
    this.status = status;
    this.retry_after = retry_after;
  }
}

export const session_ended = 'Your session has ended. Sign in again.';

const words: Record<number, string> = {
  401: session_ended,
  500: 'The service made a mistake. Its log says more.',
};

/** Makes a failure of what a fetch threw. */
export function failure_of(thrown: unknown): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError')
    return new Failure(0, 'The service does not answer.');
  return new Failure(0, 'No connection to the service.');
}

/** Makes a failure of an answer and its body. */
export function failure_of_answer(response: Response, body: unknown): Failure {
  const detail = (body as { detail?: unknown } | undefined)?.detail;
  const text = words[response.status]
    ?? (typeof detail === 'string' ? detail
                                   : `The service answered ${response.status}.`);
  return new Failure(response.status, text,
                     Number(response.headers.get('retry-after') ?? 0));
}

/** Whether a request was called off by the page itself. */
export function is_called_off(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}
