import { useState } from 'preact/hooks';
import { has_sign_in, is_built_in_identity } from '../addresses';
import { failure_of } from '../failure';
import { session, sign_in } from '../session';
import { Alert, Button } from '../ui/basic';
import { Input } from '../ui/field';
import { Brand } from '../ui/brand';

/** The form itself, on its own page or above the page of who was signed in. */
export function SignInForm({ email: known = '' }: { email?: string }) {
  const [email, set_email] = useState(known);
  const [password, set_password] = useState('');
  const [is_busy, set_busy] = useState(false);
  const [trouble, set_trouble] = useState('');
  const submit = async (): Promise<void> => {
    if (!email.trim() || !password) {
      set_trouble('Fill in the e-mail address and the password.');
      return;
    }
    set_busy(true);
    set_trouble('');
    try {
      await sign_in(email.trim(), password);
    } catch (e) {
      set_trouble(failure_of(e).message);
    }
    set_busy(false);
  };
  return (
    <form class="stack" noValidate
          onSubmit={(e) => { e.preventDefault(); if (!is_busy) void submit(); }}>
      {trouble && <Alert>{trouble}</Alert>}
      <Input label="E-mail address" value={email} set={set_email} type="email"
             autocomplete="username" spellcheck={false}
             autofocus={known === ''} />
      <Input label="Password" value={password} set={set_password}
             type="password" autocomplete="current-password"
             autofocus={known !== ''} />
      <Button kind="primary" type="submit" is_busy={is_busy}>
        {is_busy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}

/** Asks who it is. */
export function SignIn() {
  return (
    <main class="sign-in" id="main">
      <Brand />
      <div class="card">
        <h1>Sign in</h1>
        {has_sign_in ? <SignInForm /> : (
          <p>
            The accounts of this service are those of another one, but it was not
            told where that is. Set <code>auth.sign_in_url</code>.
          </p>
        )}
      </div>
      {is_built_in_identity && (
        <p class="hint">
          First time here? The service printed an e-mail address and a password
          when it started for the first time. Further accounts are made where it
          runs: <code>turnout user add</code>
        </p>
      )}
    </main>
  );
}

/** Asks again when the session ran out; the page below keeps what was typed. */
export function SignInAgain() {
  return (
    <div class="again">
      <h2 id="dialog-title">Your session has ended</h2>
      <p>Sign in again to go on. Nothing on this page is lost.</p>
      <SignInForm email={session.value?.email ?? ''} />
    </div>
  );
}
