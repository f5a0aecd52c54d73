import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { statusOf } from '#components/api/api-error.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { Switch } from '#components/ui/controls/choices';
import { CopyButton } from '#components/ui/controls/copy-button';
import { ReadingDialog } from '#components/ui/dialogs/dialogs';
import { Problem, useSubmit } from '#components/ui/dialogs/submit';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { dayAndTime } from '#components/ui/times.ts';
import { PreviewCommentList } from '#components/editor/page/preview-comment-list';
import { SharedDraftSection } from '#components/editor/page/shared-draft-section';
import type { EntryType } from '#server/core/site/content';
import type { PreviewLink } from '#server/core/site/preview/preview-links';

const t = translator('previewLinks');

/** Hosts at which only the browsers of one computer reach this server. */
const THIS_COMPUTER = ['localhost', '127.0.0.1', '[::1]'];

interface SharedEntry {
  readonly type: EntryType;
  readonly id: string;
  readonly title: string;
}

interface PreviewLinkDialogProps {
  readonly entry: SharedEntry;
  readonly onClose: () => void;
}

/** Creates, lists and revokes links that show the draft of a page or post to people without an account. */
export function PreviewLinkDialog({ entry, onClose }: PreviewLinkDialogProps) {
  const { data, error, mutate } = useApi(paths.previewLinks(entry.type, entry.id), {
    shouldRetryOnError: false,
    dedupingInterval: 0,
  });
  const refresh = () => void mutate();
  return (
    <ReadingDialog title={t('title', { title: entry.title })} onClose={onClose}>
      {/* A connected site has no preview links, which no retry changes. */}
      {statusOf(error) === 409 && error ? (
        <p className="py-5 text-base text-ink-2">{error.message}</p>
      ) : (
        <>
          <NewLink entry={entry} onCreated={refresh} />
          <SharedDraftSection
            id="preview-links"
            title={t('active')}
            items={data?.items}
            error={error}
            texts={{ none: t('none'), loading: t('loading'), failed: t('failed') }}
            onRetry={refresh}
            renderRow={(link) => <LinkRow entry={entry} link={link} onRevoked={refresh} />}
          />
          <PreviewCommentList entry={entry} />
        </>
      )}
    </ReadingDialog>
  );
}

interface NewLinkProps {
  readonly entry: SharedEntry;
  readonly onCreated: () => void;
}

/** Choice of the days, a button that creates a link, and the address of the created one. */
function NewLink({ entry, onCreated }: NewLinkProps) {
  const [days, setDays] = useState<'1' | '7' | '30'>('7');
  const [url, setUrl] = useState<string | null>(null);
  const submit = useSubmit();
  const create = () =>
    submit.run(async () => {
      setUrl((await api.createPreviewLink(entry.type, entry.id, Number(days) as 1 | 7 | 30)).url);
      onCreated();
    });
  return (
    <section aria-label={t('new')} className="py-5">
      <p className="text-base text-ink-2">{t('body')}</p>
      <div className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-3">
        <span aria-hidden className="text-sm font-medium">
          {t('days')}
        </span>
        <Switch
          label={t('days')}
          value={days}
          choices={{ '1': t('count', { days: 1 }), '7': t('count', { days: 7 }), '30': t('count', { days: 30 }) }}
          onChange={setDays}
        />
        <Button variant="primary" isBusy={submit.isBusy} onClick={() => void create()}>
          {t('create')}
        </Button>
      </div>
      <Problem text={submit.problem} className="mt-3" />
      <output className="block">
        {url !== null && (
          <>
            <span className="mt-4 flex items-center gap-2 rounded-md border border-rule-strong bg-paper px-3 py-2">
              <input
                readOnly
                aria-label={t('address')}
                value={url}
                onFocus={(event) => event.currentTarget.select()}
                className="min-w-0 flex-1 bg-transparent font-mono text-xs outline-none"
              />
              <CopyButton text={url} label={t('copy')} />
            </span>
            <span className="mt-2 block text-sm text-ink-2">
              {t('once')}
              {THIS_COMPUTER.includes(new URL(url).hostname) && ` ${t('onlyHere')}`}
            </span>
          </>
        )}
      </output>
    </section>
  );
}

interface LinkRowProps {
  readonly entry: SharedEntry;
  readonly link: PreviewLink;
  readonly onRevoked: () => void;
}

/** One link: its end, its author, and a button to revoke it. */
function LinkRow({ entry, link, onRevoked }: LinkRowProps) {
  const { id, createdAt, createdBy, expiresAt } = link;
  const [isBusy, setIsBusy] = useState(false);
  const created = dayAndTime(createdAt);
  const revoke = async () => {
    setIsBusy(true);
    try {
      await api.revokePreviewLink(entry.type, entry.id, id);
    } catch (error) {
      reportFailure(error);
    }
    setIsBusy(false);
    onRevoked();
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 py-3">
      <p className="text-sm">
        {t('until', { when: dayAndTime(expiresAt) })}
        <span className="block text-xs text-ink-3">
          {createdBy === null ? t('created', { when: created }) : t('createdBy', { when: created, name: createdBy })}
        </span>
      </p>
      <Button
        variant="ghost"
        aria-label={t('revokeOf', { when: created })}
        isBusy={isBusy}
        onClick={() => void revoke()}
      >
        {t('revoke')}
      </Button>
    </div>
  );
}
