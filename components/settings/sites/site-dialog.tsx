import { translator } from '#components/i18n.ts';
import { useState } from 'react';
import { localizedText } from '#components/message-text.ts';
import { messageOf } from '#components/api/api-error.ts';
import { TestOutcome, type TestResult, useTest } from '#components/ui/test-outcome';
import { Button } from '#components/ui/buttons';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import { TextField } from '#components/ui/fields';
import { useSubmit } from '#components/ui/dialogs/submit';
import type { SitesReport, SiteTest, WordPressSite } from '#server/core/site/remote-site';
import { siteApi } from '#components/settings/sites/site-api.ts';
import { SiteRemarks } from '#components/settings/sites/site-remarks';

const texts = translator('sites.form');

/**
 * Keeps browsers from filling in the password that they have stored for this server, which is not that of WordPress.
 */
const UNFILLED = { autoComplete: 'off', spellCheck: false } as const;

interface SiteDialogProps {
  /** Null for a new site. */
  readonly site: WordPressSite | null;
  readonly onSaved: (report: SitesReport) => void;
  readonly onClose: () => void;
}

/** Dialog to connect a WordPress site, or to change its sign-in data. */
export function SiteDialog({ site, onSaved, onClose }: SiteDialogProps) {
  const [draft, setDraft] = useState({ url: site?.url ?? '', username: site?.username ?? '', password: '', proxy: '' });
  const submit = useSubmit();
  const test = useTest<SiteTest>(siteProblem);
  const isBusy = submit.isBusy || test.isTesting;
  const change = (changed: Partial<typeof draft>) => {
    setDraft({ ...draft, ...changed });
    test.forget();
  };
  const save = () => {
    test.forget();
    const { username, password, proxy } = draft;
    const signIn = { username, ...(password !== '' && { password }), ...(proxy !== '' && { proxy }) };
    return submit.run(() => (site ? siteApi.change(site.id, signIn) : siteApi.connect(draft)).then(onSaved, test.fail));
  };

  return (
    <FormDialog
      title={site ? texts('editTitle', { name: site.name }) : texts('addTitle')}
      width="wide"
      save={
        site
          ? submit.isBusy
            ? texts('saving')
            : texts('save')
          : submit.isBusy
            ? texts('connecting')
            : texts('connect')
      }
      isBusy={isBusy}
      isSent={submit.isBusy}
      onSubmit={() => void save()}
      onClose={onClose}
      outcome={
        <div className="max-h-48 shrink-0 overflow-y-auto px-5 *:last:mb-3">
          <Outcome result={test.result} />
        </div>
      }
      extra={
        site === null && (
          <Button className="mr-auto" isBusy={isBusy} onClick={() => void test.run(() => siteApi.test(draft))}>
            {test.isTesting ? texts('testing') : texts('test')}
          </Button>
        )
      }
    >
      {site === null && (
        <TextField
          {...UNFILLED}
          label={texts('url')}
          hint={texts('urlHint')}
          type="url"
          placeholder="https://"
          value={draft.url}
          onChange={(url) => change({ url })}
        />
      )}
      <TextField
        {...UNFILLED}
        label={texts('username')}
        hint={texts('usernameHint')}
        value={draft.username}
        onChange={(username) => change({ username })}
      />
      <TextField
        {...UNFILLED}
        label={texts('password')}
        hint={texts('passwordHint')}
        type="password"
        placeholder={site ? texts('stored') : undefined}
        value={draft.password}
        onChange={(password) => change({ password })}
      />
      <TextField
        {...UNFILLED}
        label={texts('proxy')}
        hint={texts('proxyHint')}
        type="password"
        value={draft.proxy}
        onChange={(proxy) => change({ proxy })}
      />
    </FormDialog>
  );
}

function Outcome({ result }: { readonly result: TestResult<SiteTest> }) {
  return (
    <TestOutcome result={result}>
      {result &&
        (result.ok
          ? texts('passes', {
              name: result.name,
              userName: result.abilities.userName,
              version: result.abilities.version ?? 'none',
            })
          : localizedText(result.reason, result.message))}
      {result?.ok && result.abilities.remarks.length > 0 && <SiteRemarks abilities={result.abilities} />}
    </TestOutcome>
  );
}

/** The server's reason for refusing a site, with the label of the field instead of its name. */
function siteProblem(error: unknown): string {
  const message = messageOf(error);
  return message.replace(/^Invalid body, "(\w+)": /, (_, field: string) => `${texts.find(field) ?? field}: `);
}
