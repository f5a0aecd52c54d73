import { useState } from 'react';
import { useMe } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { HelpedSection } from '#components/ui/help-section';
import { TestOutcome, useTest } from '#components/ui/test-outcome';
import { settingsStrings } from '#components/settings/words.ts';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import type { MailTest, ProcessSetting } from '#server/core/admin/settings-report';

const texts = settingsStrings.mail;

/** The configured mail server, and a test mail. */
export function MailSection({ settings }: { readonly settings: readonly ProcessSetting[] }) {
  const valueOf = (variable: string) => settings.find(({ name }) => name === variable)?.value ?? null;
  const [server, from] = [valueOf('SMTP_URL'), valueOf('MAIL_FROM')];
  return (
    <HelpedSection name="mail" title={texts.title} body={server === null ? texts.unset : texts.body}>
      {server !== null && (
        <div className="border-t border-rule py-5">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm">
            <dt className="text-ink-3">{texts.server}</dt>
            <dd className="break-all">{server}</dd>
            <dt className="text-ink-3">{texts.from}</dt>
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
      <div className="mt-4 flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            label={texts.to}
            type="email"
            autoComplete="email"
            value={email}
            onChange={setTyped}
            // Otherwise Enter would submit the surrounding settings form.
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              send();
            }}
          />
        </div>
        <Button className="h-9" disabled={isTesting || email.trim() === ''} onClick={send}>
          {isTesting ? texts.sending : texts.send}
        </Button>
      </div>
      <TestOutcome result={result}>{result?.message}</TestOutcome>
    </>
  );
}
