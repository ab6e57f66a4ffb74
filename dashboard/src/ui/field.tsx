import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { fresh_id } from './basic';

interface FieldProps {
  label: string;
  /** What is wrong with it, in words. */
  error?: string | undefined;
  hint?: ComponentChildren;
  is_label_hidden?: boolean;
  class?: string;
}

interface Wiring {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

/** A name above a field, its hint and its error below. */
export function Field({ label, error, hint, is_label_hidden = false,
                        class: name = '', children }:
FieldProps & { children: (wiring: Wiring) => ComponentChildren }) {
  const [id] = useState(fresh_id);
  const described = [error && `${id}-error`, hint && `${id}-hint`]
    .filter(Boolean).join(' ');
  return (
    <div class={`field ${name}${error ? ' is-wrong' : ''}`}>
      <label for={id} class={is_label_hidden ? 'unseen' : ''}>{label}</label>
      {children({ id, 'aria-describedby': described || undefined,
                  'aria-invalid': Boolean(error) })}
      {error && <p class="error" id={`${id}-error`}>{error}</p>}
      {hint && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    </div>
  );
}

type InputProps = FieldProps & {
  value: string;
  set: (value: string) => void;
  prefix?: string;
  type?: 'text' | 'email' | 'password' | 'url';
  inputMode?: 'numeric' | 'url';
  autocomplete?: 'off' | 'username' | 'current-password';
  placeholder?: string;
  spellcheck?: boolean;
  autofocus?: boolean;
};

/** A field of one line. */
export function Input({ label, error, hint, is_label_hidden, class: name, value,
                        set, prefix, ...others }: InputProps) {
  return (
    <Field label={label} error={error} hint={hint}
           {...(is_label_hidden ? { is_label_hidden } : {})}
           {...(name ? { class: name } : {})}>
      {(wiring) => {
        const input = (
          // The types of Preact know each kind of field apart.
          <input {...wiring} {...others as object} value={value}
                 onInput={(e) => set(e.currentTarget.value)} />
        );
        return prefix === undefined ? input : (
          <div class="prefixed"><span aria-hidden="true">{prefix}</span>{input}</div>
        );
      }}
    </Field>
  );
}

interface ChoicesProps<T extends string> {
  legend: string;
  name: string;
  /** Value, title and what it means. */
  choices: readonly (readonly [T, string, string])[];
  value: T;
  set: (value: T) => void;
}

/** A few choices, each with what it means. */
export function Choices<T extends string>({ legend, name, choices, value: chosen,
                                            set }: ChoicesProps<T>) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {choices.map(([value, title, text]) => (
        <label key={value} class="choice">
          <input type="radio" name={name} value={value}
                 checked={chosen === value} onChange={() => set(value)} />
          <span>
            <strong>{title}</strong>
            <span class="hint">{text}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
