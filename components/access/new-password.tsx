'use client';

import { useState, useSyncExternalStore } from 'react';
import { access } from '#components/access/access-client.ts';
import { CodeForm } from '#components/access/code-form';
import { KnownEmail, NewPasswordField } from '#components/access/access-fields';
import { AccessForm } from '#components/access/access-form';
import { translator } from '#components/i18n.ts';
import { accessProblem } from '#components/access/access-problem.ts';
import { HOME_PATH } from '#components/workspace/navigation.ts';
import { useSubmit } from '#components/ui/dialogs/submit';

const t = translator('access.choose');

/** Calls `listener` when the URL fragment changes. */
function followHash(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/**
 * Sets a password with a mailed link, then signs in. The secret of the link is in the URL fragment, which browsers do
 * not send to the server, so that no log contains it.
 */
export function NewPasswordForm() {
  const hash = useSyncExternalStore(
    followHash,
    () => window.location.hash,
    () => '',
  );
  const link = new URLSearchParams(hash.slice(1));
  const [password, setPassword] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const submit = useSubmit(accessProblem);
  const enter = () => window.location.replace(HOME_PATH);
  const isInvited = link.get('purpose') === 'invitation';

  const save = () =>
    submit.run(async () => {
      const token = link.get('token');
      if (token === null) throw new Error(t('noToken'));
      const { email } = await access.choosePassword(token, password);
      const signedIn = await access.signIn(email, password);
      if ('needsCode' in signedIn) setNeedsCode(true);
      else enter();
    });
  if (needsCode) return <CodeForm onEntered={enter} />;

  return (
    <AccessForm
      title={isInvited ? t('invited') : t('reset')}
      body={isInvited ? t('invitedBody') : t('resetBody')}
      send={t('submit')}
      sending={t('submitting')}
      submit={submit}
      onSubmit={() => void save()}
    >
      <KnownEmail value={link.get('email') ?? ''} />
      <NewPasswordField value={password} onChange={setPassword} />
    </AccessForm>
  );
}
