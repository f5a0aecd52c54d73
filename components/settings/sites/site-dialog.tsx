import clsx from 'clsx';
import { CircleCheck, CircleX } from 'lucide-react';
import { useRef, useState } from 'react';
import { Remarks } from '#components/settings/sites/site-row';
import { Button } from '#components/ui/button';
import { TextField } from '#components/ui/field';
import { FormDialog } from '#components/ui/form-dialog';
import { siteApi } from '#lib/settings/site-api';
import { siteProblem } from '#lib/settings/site-problem';
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
  const [busy, setBusy] = useState<'testing' | 'saving' | null>(null);
  const [result, setResult] = useState<SiteTest | null>(null);
  const changes = useRef(0);
  const change = (changed: Partial<typeof draft>) => {
    changes.current += 1;
    setDraft({ ...draft, ...changed });
    setResult(null);
  };
  /** What goes wrong on the way is told like a test that fails. */
  const attempt = async (what: 'testing' | 'saving', run: () => Promise<void>) => {
    setBusy(what);
    setResult(null);
    try {
      await run();
    } catch (error) {
      setResult({ ok: false, message: siteProblem(error) });
    } finally {
      setBusy(null);
    }
  };
  const test = async () => {
    const before = changes.current;
    await attempt('testing', async () => setResult(await siteApi.test(draft)));
    // It was about what was typed then.
    if (changes.current !== before) setResult(null);
  };
  const save = () =>
    attempt('saving', async () => {
      const { username, password } = draft;
      const signIn = { username, ...(password !== '' && { password }) };
      onSaved(site ? await siteApi.change(site.id, signIn) : await siteApi.connect(draft));
    });

  return (
    <FormDialog
      title={site ? text.editTitle(site.name) : text.addTitle}
      width="wide"
      save={site ? (busy === 'saving' ? text.saving : text.save) : busy === 'saving' ? text.connecting : text.connect}
      isBusy={busy !== null}
      onSubmit={() => busy === null && void save()}
      onClose={onClose}
      outcome={
        <div className="max-h-48 shrink-0 overflow-y-auto px-5 *:last:mb-3">
          <Outcome result={result} />
        </div>
      }
      extra={
        site === null && (
          <Button className="mr-auto" disabled={busy !== null} onClick={() => void test()}>
            {busy === 'testing' ? text.testing : text.test}
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

/** What a test found, said also to who does not see it. */
function Outcome({ result }: { readonly result: SiteTest | null }) {
  const Icon = result?.ok ? CircleCheck : CircleX;
  return (
    <output aria-live="polite" className="block">
      {result && (
        <div
          data-ok={result.ok}
          className={clsx(
            'mt-3 flex items-start gap-2 rounded-md px-3 py-2 text-sm text-ink',
            result.ok ? 'bg-accent-wash' : 'bg-red-wash',
          )}
        >
          <Icon aria-hidden className={clsx('mt-0.5 size-4 shrink-0', result.ok ? 'text-accent' : 'text-red')} />
          <div className="min-w-0 flex-1 break-words">
            {result.ok ? text.passes(result.name, result.abilities.userName, result.abilities.version) : result.message}
            {result.ok && result.abilities.remarks.length > 0 && <Remarks remarks={result.abilities.remarks} />}
          </div>
        </div>
      )}
    </output>
  );
}
