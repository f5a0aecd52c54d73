'use client';

import { translator } from '#components/i18n.ts';
import { TextField } from '#components/ui/fields';
import { MIN_PASSWORD } from '#server/core/limits';

const t = translator('access');

interface AccessFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Field for the e-mail address with which a person signs in. */
export function EmailField({ value, onChange }: AccessFieldProps) {
  return (
    <TextField
      label={t('login.email')}
      type="email"
      autoComplete="username"
      required
      value={value}
      onChange={onChange}
    />
  );
}

/** Field for a new password, with its rule. */
export function NewPasswordField({ value, onChange }: AccessFieldProps) {
  return (
    <TextField
      label={t('login.password')}
      hint={t('owner.passwordHint', { min: MIN_PASSWORD })}
      type="password"
      autoComplete="new-password"
      required
      value={value}
      onChange={onChange}
    />
  );
}

/** Shows the known email address, so that a password manager stores the password with it. */
export function KnownEmail({ value }: { readonly value: string }) {
  return (
    <TextField
      label={t('login.email')}
      type="email"
      autoComplete="username"
      readOnly
      value={value}
      onChange={() => undefined}
    />
  );
}
