'use client';

import { accessStrings } from '#components/access/words.ts';
import { TextField } from '#components/ui/fields';

const { owner: ownerText, login } = accessStrings;

interface NewPasswordFieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Field for a new password, with its rule. */
export function NewPasswordField({ value, onChange }: NewPasswordFieldProps) {
  return (
    <TextField
      label={login.password}
      hint={ownerText.passwordHint}
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
      label={login.email}
      type="email"
      autoComplete="username"
      readOnly
      value={value}
      onChange={() => undefined}
    />
  );
}
