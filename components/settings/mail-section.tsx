import { translator } from '#components/i18n.ts';
import { useState } from 'react';
import { localizedText } from '#components/message-text.ts';
import { useMe } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { HelpedSection } from '#components/ui/help-section';
import { TestOutcome, useTest } from '#components/ui/test-outcome';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import type { MailTest, ProcessSetting } from '#server/core/admin/settings-report';

const texts = translator('settings.mail');

/** The configured mail server, and a test mail. */
export function MailSection({ settings }: { readonly settings: readonly ProcessSetting[] }) {
  const valueOf = (variable: string) => settings.find(({ name }) => name === variable)?.value ?? null;
  const [server, from] = [valueOf('SMTP_URL'), valueOf('MAIL_FROM')];
  return (
    <HelpedSection name="mail" title={texts('title')} body={server === null ? texts('unset') : texts('body')}>
      {server !== null && (
        <div className="border-t border-rule py-5">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm">
            <dt className="text-ink-3">{texts('server')}</dt>
            <dd className="break-all">{server}</dd>
            <dt className="text-ink-3">{texts('from')}</dt>
            <dd className="break-all">{from}</dd>
          </dl>
          <TestMail />
        </div>
      )}
    </HelpedSection>
  );
}

function TestMail() {
  const own = useMe()?.email ?? '';
  const [typed, setTyped] = useState<string | null>(null);
  const { isTesting, result, run } = useTest<MailTest>();
  const email = typed ?? own;
  const send = () => void run(() => api.request('POST', '/api/settings/mail/test', { body: { email: email.trim() } }));
  return (
    <>
      <form
        noValidate
        className="mt-4 flex flex-wrap items-end gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isTesting && email.trim() !== '') send();
        }}
      >
        <div className="min-w-0 flex-1 basis-60">
          <TextField label={texts('to')} type="email" autoComplete="email" value={email} onChange={setTyped} />
        </div>
        <Button type="submit" className="h-9" disabled={isTesting || email.trim() === ''}>
          {isTesting ? texts('sending') : texts('send')}
        </Button>
      </form>
      <TestOutcome result={result}>{result && localizedText(result.reason, result.message)}</TestOutcome>
    </>
  );
}
