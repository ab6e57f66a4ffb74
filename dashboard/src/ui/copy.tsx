import { useState } from 'preact/hooks';
import { Button } from './basic';

/** Copies a text; returns whether the browser let it. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without TLS there is no clipboard but this.
    const box = document.createElement('textarea');
    box.value = text;
    box.className = 'off-screen';
    // Inside an open dialog, as nothing else can take the focus.
    (document.querySelector('dialog[open]') ?? document.body).append(box);
    const focused = document.activeElement;
    box.select();
    const is_done = document.execCommand('copy');
    box.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return is_done;
  }
}

/** A button that copies a text and says so. */
export function Copy({ text, what, children }: {
  text: string; what: string; children?: string;
}) {
  const [state, set_state] = useState<'idle' | 'done' | 'failed'>('idle');
  const run = async (): Promise<void> => {
    set_state(await copy(text) ? 'done' : 'failed');
    setTimeout(() => set_state('idle'), 2000);
  };
  const names = { idle: `Copy ${what}`, done: 'Copied',
                  failed: 'Could not copy' };
  return (
    <span class="copy">
      <Button kind={children ? 'plain' : 'quiet'}
              icon={state === 'done' ? 'check' : 'copy'}
              {...(children ? {} : { label: names[state] })}
              onClick={() => void run()}>
        {children && (state === 'idle' ? children : names[state])}
      </Button>
      <span class="unseen" aria-live="polite">
        {state === 'idle' ? '' : names[state]}
      </span>
    </span>
  );
}

/** Text to be pasted elsewhere. */
export function Code({ text, what }: { text: string; what: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={what}><code>{text}</code></pre>
      <Copy text={text} what={what}>Copy</Copy>
    </div>
  );
}
