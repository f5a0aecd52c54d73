import { useState } from 'react';
import { useMe } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { HelpedSection } from '#components/ui/help-section';
import { TestOutcome, useTest } from '#components/ui/test-outcome';
import { settingsStrings } from '#components/settings/words';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import type { MailTest, ProcessSetting } from '#server/core/settings-report';

const text = settingsStrings.mail;

/** The mail server that is set, and a test mail through it. */
export function MailSection({ settings }: { readonly settings: readonly ProcessSetting[] }) {
  const valueOf = (variable: string) => settings.find(({ name }) => name === variable)?.value ?? null;
  const [server, from] = [valueOf('SMTP_URL'), valueOf('MAIL_FROM')];
  return (
    <HelpedSection name="mail" title={text.title} body={server === null ? text.unset : text.body}>
      {server !== null && (
        <div className="border-t border-rule py-5">
          <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-0.5 text-sm">
            <dt className="text-ink-3">{text.server}</dt>
            <dd className="break-all">{server}</dd>
            <dt className="text-ink-3">{text.from}</dt>
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
  const send = () => void run(() => api.json<MailTest>('POST', '/api/settings/mail/test', { email: email.trim() }));
  return (
    <>
      <div className="mt-4 flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <TextField
            label={text.to}
            type="email"
            autoComplete="email"
            value={email}
            onChange={setTyped}
            // The form around it saves the settings.
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              send();
            }}
          />
        </div>
        <Button className="h-9" disabled={isTesting || email.trim() === ''} onClick={send}>
          {isTesting ? text.sending : text.send}
        </Button>
      </div>
      <TestOutcome result={result}>{result?.message}</TestOutcome>
    </>
  );
}
