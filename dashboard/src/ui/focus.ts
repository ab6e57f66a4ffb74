// Who works without a mouse goes on where they were.

/** Milliseconds in which what had the focus may still go away. */
const patience = 5000;

function focused(): Element | null {
  const at = document.activeElement;
  return at === document.body ? null : at;
}

function focus_on(element: HTMLElement | null | undefined): void {
  if (!element) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/**
 * Remembers what has the focus; the result gives it back, or to the heading near
 * it when it is gone, also when it goes in the next moments.
 */
export function keep_focus(): () => void {
  const at = focused();
  const home = at?.closest('section, header');
  return () => {
    if (at instanceof HTMLElement && at.isConnected) focus_on(at);
    const end = Date.now() + patience;
    const look = (): void => {
      const now = focused();
      // Somebody went on, or another question is open.
      if (now && now !== at) return;
      if (!now) {
        if (at instanceof HTMLElement && at.isConnected) focus_on(at);
        if (!focused())
          focus_on((home?.isConnected ? home.querySelector<HTMLElement>('h1, h2')
                                      : undefined)
            ?? document.querySelector<HTMLElement>('#main h1'));
      }
      if (Date.now() < end) setTimeout(look, 100);
    };
    setTimeout(look, 0);
  };
}
