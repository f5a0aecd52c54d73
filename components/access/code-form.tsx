'use client';

import { translator } from '#components/i18n.ts';
import { useEffect, useRef, useState } from 'react';
import { access } from '#components/access/access-client.ts';
import { AccessForm, TextButton } from '#components/access/access-form';
import { accessProblem } from '#components/access/access-problem.ts';
import { TextField } from '#components/ui/fields';
import { useSubmit } from '#components/ui/dialogs/submit';

const t = translator('access.login');

/** The second step of signing in: asks for a code of the authenticator app, or a recovery code. */
export function CodeForm({ onEntered }: { readonly onEntered: () => void }) {
  const [code, setCode] = useState('');
  const [isRecovery, setIsRecovery] = useState(false);
  const submit = useSubmit(accessProblem);
  const send = () =>
    submit.run(async () => {
      await access.signInWithCode(code, isRecovery);
      onEntered();
    });
  return (
    <AccessForm
      title={t('codeTitle')}
      body={isRecovery ? t('recoveryBody') : t('codeBody')}
      send={t('submit')}
      sending={t('submitting')}
      submit={submit}
      onSubmit={() => void send()}
      footnote={
        <TextButton
          onClick={() => {
            setIsRecovery(!isRecovery);
            setCode('');
          }}
        >
          {isRecovery ? t('toCode') : t('toRecovery')}
        </TextButton>
      }
    >
      <CodeField key={String(isRecovery)} code={code} isRecovery={isRecovery} onChange={setCode} />
    </AccessForm>
  );
}

interface CodeFieldProps {
  readonly code: string;
  readonly isRecovery?: boolean;
  readonly onChange: (code: string) => void;
}

/** Field for a one-time code, which phones can fill in; takes the focus when it appears. */
export function CodeField({ code, isRecovery = false, onChange }: CodeFieldProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.querySelector('input')?.focus(), []);
  return (
    <div ref={place}>
      <TextField
        label={isRecovery ? t('recovery') : t('code')}
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        spellCheck={false}
        required
        value={code}
        onChange={onChange}
      />
    </div>
  );
}
