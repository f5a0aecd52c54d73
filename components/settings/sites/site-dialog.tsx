import { useState } from 'react';
import { Remarks } from '#components/settings/sites/site-row';
import { TestOutcome } from '#components/settings/test-outcome';
import { Button } from '#components/ui/button';
import { TextField } from '#components/ui/field';
import { FormDialog } from '#components/ui/form-dialog';
import { siteApi } from '#lib/settings/site-api';
import { siteProblem } from '#lib/settings/site-problem';
import { type TestResult, useTest } from '#lib/settings/use-test';
import { siteStrings } from '#lib/strings/sites';
import type { SitesReport, SiteTest, WordPressSite } from '#server/core/remote-site';

const text = siteStrings.form;

/** A browser's own password for this page is none of WordPress's. */
const UNFILLED = { autoComplete: 'off', spellCheck: false } as const;

interface SiteDialogProps {
  /** Null: a new one. */
  readonly site: WordPressSite | null;
  readonly onSaved: (report: SitesReport) => void;
  readonly onClose: () => void;
}

/** A WordPress site to connect, or how it is signed in to. */
export function SiteDialog({ site, onSaved, onClose }: SiteDialogProps) {
  const [draft, setDraft] = useState({ url: site?.url ?? '', username: site?.username ?? '', password: '' });
  const [isSaving, setIsSaving] = useState(false);
  const test = useTest<SiteTest>(siteProblem);
  const isBusy = isSaving || test.isTesting;
  const change = (changed: Partial<typeof draft>) => {
    setDraft({ ...draft, ...changed });
    test.forget();
  };
  const save = async () => {
    test.forget();
    setIsSaving(true);
    const { username, password } = draft;
    const signIn = { username, ...(password !== '' && { password }) };
    try {
      onSaved(site ? await siteApi.change(site.id, signIn) : await siteApi.connect(draft));
    } catch (error) {
      test.fail(error);
    } finally {
      setIsSaving(false);
    }
  };

  return (
    <FormDialog
      title={site ? text.editTitle(site.name) : text.addTitle}
      width="wide"
      save={site ? (isSaving ? text.saving : text.save) : isSaving ? text.connecting : text.connect}
      isBusy={isBusy}
      onSubmit={() => isBusy || void save()}
      onClose={onClose}
      outcome={
        <div className="max-h-48 shrink-0 overflow-y-auto px-5 *:last:mb-3">
          <Outcome result={test.result} />
        </div>
      }
      extra={
        site === null && (
          <Button className="mr-auto" disabled={isBusy} onClick={() => void test.run(() => siteApi.test(draft))}>
            {test.isTesting ? text.testing : text.test}
          </Button>
        )
      }
    >
      {site === null && (
        <TextField
          {...UNFILLED}
          label={text.url}
          hint={text.urlHint}
          type="url"
          placeholder="https://"
          value={draft.url}
          onChange={(url) => change({ url })}
        />
      )}
      <TextField
        {...UNFILLED}
        label={text.username}
        hint={text.usernameHint}
        value={draft.username}
        onChange={(username) => change({ username })}
      />
      <TextField
        {...UNFILLED}
        label={text.password}
        hint={text.passwordHint}
        type="password"
        placeholder={site ? text.stored : undefined}
        value={draft.password}
        onChange={(password) => change({ password })}
      />
    </FormDialog>
  );
}

function Outcome({ result }: { readonly result: TestResult<SiteTest> }) {
  return (
    <TestOutcome result={result}>
      {result &&
        (result.ok ? text.passes(result.name, result.abilities.userName, result.abilities.version) : result.message)}
      {result?.ok && result.abilities.remarks.length > 0 && <Remarks remarks={result.abilities.remarks} />}
    </TestOutcome>
  );
}
