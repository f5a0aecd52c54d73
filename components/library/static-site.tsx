import { useState } from 'react';
import { localizedText, noteTexts } from '#components/message-text.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { TextField } from '#components/ui/fields';
import { Section } from '#components/ui/page-parts';
import { Problem, useSubmit } from '#components/ui/dialogs/submit';
import type { StaticSite } from '#server/core/site/static-site';

const t = translator('import.files');

interface StaticSiteProps {
  /** Public address of the site; null if it has none of its own. */
  readonly siteUrl: string | null;
}

/** The published site as files for any server: checked first, then downloaded. */
export function StaticSiteSection({ siteUrl }: StaticSiteProps) {
  const [url, setUrl] = useState(siteUrl ?? '');
  const [checked, setChecked] = useState<StaticSite | null>(null);
  const submit = useSubmit();
  const download = () =>
    submit.run(async () => {
      setChecked(null);
      const found = await api.get(paths.siteFiles({ url: url.trim(), check: true }));
      setChecked(found);
      if (found.problems.length === 0) window.location.assign(paths.siteFiles({ url: url.trim(), check: false }));
    });
  return (
    <Section title={t('title')} intro={t('body')}>
      <form
        className="max-w-md"
        onSubmit={(event) => {
          event.preventDefault();
          void download();
        }}
      >
        <TextField
          label={t('url')}
          hint={t('urlHint')}
          value={url}
          onChange={setUrl}
          type="url"
          required
          placeholder="https://"
          autoComplete="off"
        />
        <Button type="submit" aria-disabled={submit.isBusy} className="mt-4">
          {submit.isBusy ? t('checking') : t('download')}
        </Button>
        <Problem text={submit.problem} className="mt-3" />
      </form>
      <output className="block">
        {checked?.problems.length === 0 && (
          <p className="mt-3 text-sm text-ink-2">{t('ready', { pages: checked.pages })}</p>
        )}
        {checked &&
          noteTexts(checked).map((note) => (
            <p key={note} className="mt-2 max-w-[70ch] text-sm text-ink-2">
              {note}
            </p>
          ))}
        {checked && checked.problems.length > 0 && (
          <>
            <p className="mt-4 text-sm font-medium">{t('problems', { count: checked.problems.length })}</p>
            <ul className="mt-2 border-t border-rule text-sm">
              {checked.problems.map(({ page, message, reason }) => (
                <li key={`${page} ${message}`} className="border-b border-rule py-2 [overflow-wrap:anywhere]">
                  <span className="text-ink-3">{page}</span> {localizedText(reason, message)}
                </li>
              ))}
            </ul>
          </>
        )}
      </output>
    </Section>
  );
}
