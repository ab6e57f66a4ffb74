import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { failure_of } from '../failure';
import { use_trouble } from '../session';
import { Alert, Button } from './basic';
import { keep_focus } from './focus';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  on_close: () => void;
}

export function Dialog({ title, children, on_close }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    const give_back = keep_focus();
    dialog?.showModal();
    return () => {
      dialog?.close();
      give_back();
    };
  }, []);
  return (
    <dialog ref={element} class="dialog" aria-labelledby="dialog-title"
            onCancel={(e) => { e.preventDefault(); on_close(); }}
            onClick={(e) => { if (e.target === element.current) on_close(); }}>
      <div class="dialog-body">
        <header class="dialog-head">
          <h2 id="dialog-title">{title}</h2>
          <Button kind="quiet" icon="close" label="Close" onClick={on_close} />
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps extends DialogProps {
  action: string;
  is_danger?: boolean;
  /** What is done; the dialog stays when it fails. */
  run: () => Promise<void>;
}

/** Asks before something is done. */
export function Confirm({ title, children, action, is_danger = false, run,
                          on_close }: ConfirmProps) {
  const [is_busy, set_busy] = useState(false);
  const [trouble, set_trouble] = use_trouble();
  const confirm = async (): Promise<void> => {
    set_busy(true);
    set_trouble('');
    try {
      await run();
    } catch (e) {
      set_trouble(failure_of(e).message);
    }
    set_busy(false);
  };
  return (
    <Dialog title={title} on_close={on_close}>
      {children}
      {trouble && <Alert>{trouble}</Alert>}
      <div class="dialog-actions">
        <Button onClick={on_close}>Cancel</Button>
        <Button kind={is_danger ? 'danger' : 'primary'} is_busy={is_busy}
                onClick={() => void confirm()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
