'use client';

import { useRef, useState } from 'react';
import { AccessForm } from '#components/access/access-form';
import { TextField } from '#components/ui/field';
import { access } from '#lib/access/access-client';
import { useSubmit } from '#lib/access/use-submit';
import { accessStrings } from '#lib/strings/access';

const text = accessStrings.login;

/** E-mail and password, and on to `next`. */
export function SignInForm({ next }: { readonly next: string }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const submit = useSubmit();
  const form = useRef<HTMLFormElement>(null);

  const signIn = async () => {
    // A whole new page: nothing of who was here before is left in it.
    if (await submit.run(() => access.signIn(email.trim(), password))) return window.location.assign(next);
    const field = form.current?.querySelector<HTMLInputElement>('input:invalid, [type="password"]');
    field?.select();
  };

  return (
    <AccessForm
      ref={form}
      title={text.title}
      send={text.submit}
      sending={text.submitting}
      submit={submit}
      onSubmit={() => void signIn()}
      footnote={text.forgotten}
    >
      <TextField label={text.email} type="email" autoComplete="username" required value={email} onChange={setEmail} />
      <TextField
        label={text.password}
        type="password"
        autoComplete="current-password"
        required
        value={password}
        onChange={setPassword}
      />
    </AccessForm>
  );
}
