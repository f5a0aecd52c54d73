'use client';

import clsx from 'clsx';
import { ChevronDown, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { toast } from '#components/toast';
import useSWR from 'swr';
import { useMayPublish } from '#components/access/access-client';
import { api } from '#components/api/api-client';
import { messageOf } from '#components/api/api-error';
import { paths } from '#components/api/paths';
import { number } from '#components/figures';
import { messagesStrings } from '#components/library/words';
import { Button, CopyButton } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs';
import { passOnFocus } from '#components/ui/pass-on-focus';
import { TimeAgo } from '#components/ui/page-parts';
import type { Submission, SubmissionOverview } from '#server/core/submissions';

/** New ones need not be seen within seconds; ms. */
export const REFRESH_MS = 30_000;

/** Numbers of messages, by form; undefined until known. */
export function useSubmissionOverview(): SubmissionOverview | undefined {
  return useSWR<SubmissionOverview, Error>(paths.submissionOverview, { refreshInterval: REFRESH_MS }).data;
}

const say = messagesStrings;

interface MessageLineProps {
  readonly submission: Submission;
  /** It is opened for the first time, and will be marked as read. */
  readonly onRead: () => void;
  readonly onRemoved: () => void;
  readonly onChanged: () => void;
}

/**
 * A message: who wrote and how it begins; opened, all of it, which marks it as read where an editor does. Whatever it says is shown as plain
 * text: nothing of it is a link.
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
      toast.error(say.notDone(messageOf(error)));
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
          {!isRead && <span className="sr-only">{say.unread}</span>}
        </span>
        <span className="min-w-0 flex-1">
          <span className={clsx('block truncate text-base', !isRead && 'font-semibold')}>
            {title ?? say.nothingWritten}
          </span>
          <span className="block truncate text-sm text-ink-2">{others.join(' · ')}</span>
          <span className="block truncate text-xs text-ink-3">{say.from(formTitle, pageTitle)}</span>
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
                  <span>{kind === 'consent' ? say.yes : value}</span>
                  {(kind === 'email' || kind === 'phone') && <CopyButton text={value} label={say.copy(label)} />}
                </dd>
              </div>
            ))}
          </dl>
          <MailState submission={submission} />
          {mayChange && (
            <div className="mt-4 -ml-3 flex flex-wrap gap-2">
              <Button variant="ghost" onClick={() => void run(() => api.submissions.mark({ ids: [id] }, false))}>
                {say.markUnread}
              </Button>
              <Button variant="ghost" onClick={() => setIsAsking(true)}>
                <Trash2 aria-hidden className="size-4" />
                {say.remove}
              </Button>
            </div>
          )}
        </div>
      )}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={say.removeOne.title}
        body={say.removeOne.body}
        confirm={say.removeOne.confirm}
        onConfirm={() => void run(remove, say.removeOne.done)}
      />
    </li>
  );
}

/** Mail state of a message; nothing if no mail is sent. */
function MailState({ submission: { mail, mailError } }: Pick<MessageLineProps, 'submission'>) {
  if (mail === 'none') return null;
  const text =
    mailError === null ? say.mail[mail] : mail === 'failed' ? say.mailFailed(mailError) : say.mailTrying(mailError);
  return <p className={clsx('mt-3 text-xs', mail === 'failed' ? 'text-red' : 'text-ink-3')}>{text}</p>;
}

/** Number of messages that nobody has read; nothing where there are none. */
export function UnreadMark() {
  const unread = useSubmissionOverview()?.unread ?? 0;
  if (unread === 0) return null;
  return (
    <span className="ml-1.5 rounded-full bg-accent px-1.5 text-xs leading-5 font-medium text-accent-ink tabular-nums">
      {number.format(unread)}
      <span className="sr-only"> {say.unreadMark}</span>
    </span>
  );
}
