import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Failure, failure_of } from './failure';
import { EditPage } from './pages/edit_page';
import { Keys } from './pages/keys';
import { LinkForm } from './pages/link_form';
import { LinkPage } from './pages/link_page';
import { Links } from './pages/links';
import { NotFound } from './pages/not_found';
import { SignIn, SignInAgain } from './pages/sign_in';
import { place } from './router';
import { has_expired, restore_session, session, sign_out } from './session';
import { use_store } from './store';
import { Anchor, Button } from './ui/basic';
import { Brand } from './ui/brand';
import { ConnectionBar } from './ui/connection';
import { keep_focus } from './ui/focus';
import { tell, Toasts } from './ui/toast';
import './style/base.css';
import './style/parts.css';
import './style/pages.css';

interface Page {
  title: string;
  view: preact.JSX.Element;
}

function page_of(path: string): Page {
  if (path === '' || path === '/links') return { title: 'Links', view: <Links /> };
  if (path === '/links/new') return { title: 'New link', view: <LinkForm /> };
  if (path === '/keys') return { title: 'API keys', view: <Keys /> };
  const [, id, is_edited] = /^\/links\/([^/]+)(\/edit)?$/.exec(path) ?? [];
  // What cannot be an id is not asked for.
  if (id && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    return { title: 'Not found', view: <NotFound what="link" /> };
  if (id && is_edited)
    return { title: 'Edit link', view: <EditPage key={id} id={id} /> };
  if (id) return { title: 'Link', view: <LinkPage key={id} id={id} /> };
  return { title: 'Not found', view: <NotFound /> };
}

function Top({ path, email }: { path: string; email: string }) {
  const leave = async (): Promise<void> => {
    try {
      await sign_out();
    } catch (e) {
      tell(`You are still signed in. ${failure_of(e).message}`);
    }
  };
  return (
    <header class="top">
      <a class="skip" href="#main">Skip to the content</a>
      <div class="top-inner">
        <Anchor to="/" class="home"><Brand /></Anchor>
        <nav aria-label="Main">
          <Anchor to="/" is_current={path === '' || path.startsWith('/links')}>
            Links
          </Anchor>
          <Anchor to="/keys" is_current={path === '/keys'}>Keys</Anchor>
          <a href="/docs">API</a>
        </nav>
        <div class="who">
          <bdi title={email}>{email}</bdi>
          <Button kind="quiet" onClick={() => void leave()}>Sign out</Button>
        </div>
      </div>
    </header>
  );
}

/** The form for who has to sign in again, above the page. */
function Again() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const give_back = keep_focus();
    element.current?.showModal();
    return () => {
      element.current?.close();
      give_back();
    };
  }, []);
  return (
    <dialog ref={element} class="dialog" aria-labelledby="dialog-title"
            onCancel={(e) => e.preventDefault()}>
      <div class="dialog-body"><SignInAgain /></div>
    </dialog>
  );
}

function Signed({ email }: { email: string }) {
  const { path } = use_store(place);
  const { title, view } = page_of(path);
  useEffect(() => {
    document.title = `${title} – Turnout`;
  }, [path]);
  return (
    <>
      <Top path={path} email={email} />
      <ConnectionBar />
      {view}
      {use_store(has_expired) && <Again />}
    </>
  );
}

function App() {
  const user = use_store(session);
  const [failure, set_failure] = useState<Failure>();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const restore = (): void => {
      restore_session().then(() => set_failure(undefined), (e) => {
        set_failure(failure_of(e));
        timer = setTimeout(restore, 3000);
      });
    };
    restore();
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (user === null) document.title = 'Sign in – Turnout';
  }, [user]);
  return (
    <>
      {user === undefined && (
        <main class="sign-in" id="main">
          <Brand />
          <p class="loading" role="status">
            {failure ? `${failure.message} Trying again…` : 'Loading…'}
          </p>
        </main>
      )}
      {user === null && <><ConnectionBar /><SignIn /></>}
      {user && <Signed key={user.id} email={user.email ?? ''} />}
      <Toasts />
    </>
  );
}

render(<App />, document.getElementById('app')!);
