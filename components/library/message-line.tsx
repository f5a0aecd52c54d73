'use client';

import clsx from 'clsx';
import { ChevronDown, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from 'sonner';
import { localizedText } from '#components/message-text.ts';
import { useMayPublish } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { messageOf } from '#components/api/api-error.ts';
import { paths } from '#components/api/paths.ts';
import { number } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { CopyButton } from '#components/ui/controls/copy-button';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { TimeAgo } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';
import type { Submission, SubmissionOverview } from '#server/core/site/submissions';

/** Polling interval of messages; ms. They need not appear within seconds. A choice, not measured. */
export const REFRESH_MS = 30_000;

/** Numbers of messages and the settings about them; undefined while loading. */
export function useSubmissionOverview(): SubmissionOverview | undefined {
  return useApi(paths.submissionOverview, { refreshInterval: REFRESH_MS }).data;
}

const t = translator('formMessages');

interface MessageLineProps {
  readonly submission: Submission;
  /** Called when the message is opened for the first time, to mark it as read. */
  readonly onRead: () => void;
  /** Called after the message was deleted. */
  readonly onRemoved: () => void;
  /** Called after any change that was stored. */
  readonly onChanged: () => void;
}

/**
 * A message from a form of the site: its sender and beginning, and the complete text when expanded. Expanding marks it
 * as read if the user is an editor. All content is plain text without links, because strangers wrote it.
 */
export function MessageLine({ submission, onRead, onRemoved, onChanged }: MessageLineProps) {
  const { id, answers, formTitle, pageTitle, isRead, createdAt } = submission;
  const mayChange = useMayPublish();
  const [isOpen, setIsOpen] = useState(false);
  const [isAsking, setIsAsking] = useState(false);
  const body = useId();
  const [title, ...others] = answers.filter(({ kind }) => kind !== 'consent').map(({ value }) => value);
  const run = async (action: () => Promise<unknown>, done?: string) => {
    try {
      await action();
      if (done !== undefined) toast(done);
      onChanged();
    } catch (error) {
      toast.error(t('notDone', { reason: messageOf(error) }));
    }
  };
  const toggle = () => {
    setIsOpen(!isOpen);
    if (isOpen || isRead || !mayChange) return;
    onRead();
    void run(() => api.submissions.mark({ ids: [id] }, true));
  };
  const remove = async () => {
    await api.submissions.remove({ ids: [id] });
    onRemoved();
  };
  return (
    <li ref={passOnFocus} className="border-b border-rule">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={body}
        onClick={toggle}
        className="flex w-full items-start gap-3 px-1 py-3.5 text-left hover:bg-ink/3"
      >
        <span className={clsx('mt-2 size-2 shrink-0 rounded-full', isRead ? 'bg-transparent' : 'bg-accent')}>
          {!isRead && <span className="sr-only">{t('unread')}</span>}
        </span>
        <span className="min-w-0 flex-1">
          <span className={clsx('block truncate text-base', !isRead && 'font-semibold')}>
            {title ?? t('nothingWritten')}
          </span>
          <span className="block truncate text-sm text-ink-2">{others.join(' · ')}</span>
          <span className="block truncate text-xs text-ink-3">{t('from', { form: formTitle, page: pageTitle })}</span>
        </span>
        <span className="mt-0.5 shrink-0 text-xs text-ink-3">
          <TimeAgo time={createdAt} />
        </span>
        <ChevronDown
          aria-hidden
          className={clsx('mt-0.5 size-4 shrink-0 text-ink-3 transition-transform', isOpen && 'rotate-180')}
        />
      </button>
      {isOpen && (
        <div id={body} className="pt-3 pb-5 pl-6">
          <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[minmax(8rem,14rem)_minmax(0,1fr)]">
            {answers.map(({ label, kind, value }, index) => (
              <div key={index} className="contents">
                <dt className="text-ink-2 [overflow-wrap:anywhere]">{label}</dt>
                <dd className="mb-1 flex items-start gap-2 whitespace-pre-wrap [overflow-wrap:anywhere]">
                  <span>{kind === 'consent' ? t('yes') : value}</span>
                  {(kind === 'email' || kind === 'phone') && <CopyButton text={value} label={t('copy', { label })} />}
                </dd>
              </div>
            ))}
          </dl>
          <MailState submission={submission} />
          {mayChange && (
            <div className="mt-4 -ml-3 flex flex-wrap gap-2">
              <Button variant="ghost" onClick={() => void run(() => api.submissions.mark({ ids: [id] }, false))}>
                {t('markUnread')}
              </Button>
              <Button variant="ghost" onClick={() => setIsAsking(true)}>
                <Trash2 aria-hidden className="size-4" />
                {t('remove')}
              </Button>
            </div>
          )}
        </div>
      )}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('removeOne.title')}
        body={t('removeOne.body')}
        confirm={t('removeOne.confirm')}
        onConfirm={() => void run(remove, t('removeOne.done'))}
      />
    </li>
  );
}

/** Mail state of a message; renders nothing if no mail is sent. */
function MailState({ submission: { mail, mailError, mailErrorMessage } }: { readonly submission: Submission }) {
  if (mail === 'none') return null;
  const text =
    mailError === null
      ? t(`mail.${mail}`)
      : t(mail === 'failed' ? 'mailFailed' : 'mailTrying', { reason: localizedText(mailErrorMessage, mailError) });
  return <p className={clsx('mt-3 text-xs', mail === 'failed' ? 'text-red' : 'text-ink-3')}>{text}</p>;
}

/** Number of unread messages; renders nothing if there are none. */
export function UnreadMark() {
  const unread = useSubmissionOverview()?.unread ?? 0;
  if (unread === 0) return null;
  return (
    <span className="ml-1.5 rounded-full bg-accent px-1.5 text-xs leading-5 font-medium text-accent-ink tabular-nums">
      {number.format(unread)}
      <span className="sr-only"> {t('unreadMark')}</span>
    </span>
  );
}
