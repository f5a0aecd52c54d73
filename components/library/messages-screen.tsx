'use client';

import { Download, Inbox } from 'lucide-react';
import Link from 'next/link';
import { useId, useState } from 'react';
import { toast } from 'sonner';
import { useSWRConfig } from 'swr';
import { useMayPublish, useMe } from '#components/access/access-client.ts';
import { api } from '#components/api/api-client.ts';
import { messageOf } from '#components/api/api-error.ts';
import { paths, type SubmissionFilter } from '#components/api/paths.ts';
import { LIBRARY_SITE_PATH } from '#components/workspace/navigation.ts';
import { MessageLine, REFRESH_MS, useSubmissionOverview } from '#components/library/message-line';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { ConfirmDialog } from '#components/ui/dialogs/confirm-dialog';
import { ChoiceField, fieldStyle, SearchField } from '#components/ui/fields';
import { useTypedSearch } from '#components/ui/typed-search.ts';
import { useAnswered, useHasBeen } from '#components/ui/hooks.ts';
import { usePreviousData } from '#components/ui/previous-data.ts';
import { LoadingBlock, Notice, NotLoaded } from '#components/ui/notices';
import { PageTitle, Section } from '#components/ui/page-parts';
import { Problem, useSubmit } from '#components/ui/dialogs/submit';
import { useApiPages } from '#components/api/use-api.ts';
import type { Submission, SubmissionOverview, SubmissionPage } from '#server/core/site/submissions';

const t = translator('formMessages');

/** Filters of the list. */
interface View {
  readonly text: string;
  readonly sectionId: string | null;
  readonly unreadOnly: boolean;
}

const ALL: View = { text: '', sectionId: null, unreadOnly: false };

const filterOf = ({ text, sectionId, unreadOnly }: View): SubmissionFilter => ({
  text: text || undefined,
  sectionId: sectionId ?? undefined,
  unread: unreadOnly ? '1' : undefined,
});

/** Messages sent through the site's forms. */
export function MessagesScreen() {
  const [view, setView] = useState(ALL);
  const filter = filterOf(view);
  const overview = useSubmissionOverview();
  const mayChange = useMayPublish();
  const { data, error, size, setSize, mutate } = useApiPages(
    (index, previous: SubmissionPage | null) =>
      index > 0 && !previous?.nextCursor ? null : paths.submissions(filter, previous?.nextCursor ?? undefined),
    { refreshInterval: REFRESH_MS },
  );
  const { mutate: refresh } = useSWRConfig();
  const changed = () => void Promise.all([mutate(), refresh(paths.submissionOverview)]);
  const shown = usePreviousData(data, error);
  const opened = useOpenedMessages(view);
  const items = shown && opened.among(shown.flatMap((page) => page.items));
  const total = shown?.[0]?.total ?? 0;
  const answered = [useAnswered(paths.submissionOverview), useAnswered(paths.me), (data ?? error) !== undefined];
  if (!useHasBeen(!answered.includes(false)))
    return (
      <>
        <PageTitle title={t('title')} intro={t('intro')} />
        <LoadingBlock label={t('loading')} />
      </>
    );
  return (
    <>
      <PageTitle title={t('title')} intro={t('intro')}>
        {total > 0 && (
          <a
            href={paths.submissionExport(filter)}
            download
            className="inline-flex h-8 items-center gap-1.5 rounded-md border border-rule-strong bg-sheet px-3 text-sm font-medium hover:border-ink-3"
          >
            <Download aria-hidden className="size-4" />
            {t('export')}
          </a>
        )}
      </PageTitle>
      {overview && overview.total >= overview.most && (
        <p role="alert" className="mt-6 rounded-lg border border-red px-4 py-3 text-sm text-red">
          {t('full', { most: overview.most })}
        </p>
      )}
      <Filters view={view} overview={overview} onChange={setView} />
      {items === undefined ? (
        <NotLoaded title={t('failed')} error={error} loading={t('loading')} onRetry={() => mutate()} />
      ) : items.length === 0 ? (
        view === ALL || overview?.total === 0 ? (
          <div className="mt-8 rounded-xl border border-dashed border-rule-strong py-10">
            <Notice
              title={t('empty')}
              body={t('emptyBody')}
              icon={<Inbox aria-hidden className="mb-2 size-7 stroke-[1.25] text-ink-3" />}
            />
          </div>
        ) : (
          <Notice title={t('noMatch')} action={{ label: t('showAll'), run: () => setView(ALL) }} />
        )
      ) : (
        <>
          <div className="mt-6 flex flex-wrap items-center gap-x-2 gap-y-1">
            <output className="mr-auto text-xs text-ink-2">
              {t('count', { total, unread: overview?.unread ?? 0 })}
            </output>
            {total > 0 && mayChange && (
              <BulkActions
                // A new key per view, so that a confirmation about some messages never applies to others.
                key={JSON.stringify(view)}
                view={view}
                total={total}
                newest={shown?.[0]?.items[0]?.createdAt}
                isListed={data !== undefined}
                hasUnread={(overview?.unread ?? 0) > 0}
                onDone={changed}
              />
            )}
          </div>
          <ul aria-label={t('list')} className="mt-3 border-t border-rule">
            {items.map((submission) => (
              <MessageLine
                key={submission.id}
                submission={submission}
                onRead={() => opened.keep(submission)}
                onRemoved={() => opened.drop(submission)}
                onChanged={changed}
              />
            ))}
          </ul>
        </>
      )}
      {data?.at(-1)?.nextCursor && (
        <Button className="mt-6" onClick={() => void setSize(size + 1)}>
          {t('more')}
        </Button>
      )}
      {overview && <Retention overview={overview} onSaved={changed} />}
    </>
  );
}

/** Messages that were opened while only unread ones are listed: they stay in the list until the view changes. */
function useOpenedMessages(view: View) {
  const [opened, setOpened] = useState<{ readonly view: View; readonly items: readonly Submission[] }>({
    view,
    items: [],
  });
  const items = opened.view === view ? opened.items : [];
  const without = (id: string) => items.filter((each) => each.id !== id);
  return {
    keep: (submission: Submission) => {
      if (view.unreadOnly) setOpened({ view, items: [...without(submission.id), { ...submission, isRead: true }] });
    },
    drop: ({ id }: Submission) => setOpened({ view, items: without(id) }),
    /** The listed messages together with the opened ones, newest first. */
    among: (listed: readonly Submission[]) => {
      const others = items.filter(({ id }) => !listed.some((each) => each.id === id));
      return others.length === 0 ? listed : [...listed, ...others].toSorted((a, b) => b.createdAt - a.createdAt);
    },
  };
}

interface FiltersProps {
  readonly view: View;
  readonly overview: SubmissionOverview | undefined;
  readonly onChange: (view: View) => void;
}

function Filters({ view, overview, onChange }: FiltersProps) {
  const [text, setText] = useTypedSearch(view.text, (wanted) => onChange({ ...view, text: wanted }));
  const forms = overview?.forms ?? [];
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-6 gap-y-3">
      <SearchField label={t('search')} value={text} onChange={setText} className="w-full sm:w-72" />
      {forms.length > 1 && (
        <ChoiceField
          label={t('form')}
          any={t('anyForm')}
          choices={Object.fromEntries(
            forms.map(({ sectionId, formTitle, pageTitle }) => [
              sectionId,
              t('formName', { form: formTitle, page: pageTitle }),
            ]),
          )}
          value={view.sectionId}
          onChange={(sectionId) => onChange({ ...view, sectionId })}
          onAny={() => onChange({ ...view, sectionId: null })}
        />
      )}
      <label className="flex items-center gap-2 text-sm text-ink-2">
        <input
          type="checkbox"
          checked={view.unreadOnly}
          onChange={({ target }) => onChange({ ...view, unreadOnly: target.checked })}
          className="size-4 accent-accent"
        />
        {t('unreadOnly')}
      </label>
    </search>
  );
}

interface BulkActionsProps {
  readonly view: View;
  readonly total: number;
  /** Time of the newest listed message; later messages are not affected. */
  readonly newest: number | undefined;
  /** False if the listed messages belong to the previous view, because this one is loading. */
  readonly isListed: boolean;
  readonly hasUnread: boolean;
  readonly onDone: () => void;
}

/** Actions on all listed messages. */
function BulkActions({ view, total, newest: until, isListed, hasUnread, onDone }: BulkActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const { text, sectionId, unreadOnly } = view;
  const found = {
    ...(text && { text }),
    ...(sectionId !== null && { sectionId }),
    ...(unreadOnly && { unread: true }),
  };
  const all = { ...found, ...(until !== undefined && { until }) };
  /** The messages that the confirmation is about, even if the list changes while it is open. */
  const [asked, setAsked] = useState({ all, total });
  const run = async (action: () => Promise<{ readonly changed: number }>, doneText?: (count: number) => string) => {
    try {
      const { changed } = await action();
      if (doneText) toast(doneText(changed));
      onDone();
    } catch (error) {
      toast.error(t('notDone', { reason: messageOf(error) }));
    }
  };
  return (
    <>
      {hasUnread && (
        <Button
          variant="ghost"
          disabled={!isListed}
          onClick={() => void run(() => api.submissions.mark({ all }, true))}
        >
          {t('markAllRead')}
        </Button>
      )}
      <Button
        variant="ghost"
        disabled={!isListed}
        onClick={() => {
          setAsked({ all, total });
          setIsAsking(true);
        }}
      >
        {t('removeAll.open', { count: total })}
      </Button>
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('removeAll.title', { count: asked.total })}
        body={t('removeAll.body')}
        confirm={t('removeAll.confirm')}
        onConfirm={() =>
          void run(
            () => api.submissions.remove({ all: asked.all }),
            (count) => t('removeAll.done', { count }),
          )
        }
      />
    </>
  );
}

interface RetentionProps {
  readonly overview: SubmissionOverview;
  readonly onSaved: () => void;
}

/** Section about how long messages are kept and to whom they are mailed. */
function Retention({ overview: { keepDays, mailsTo }, onSaved }: RetentionProps) {
  const id = useId();
  const isAdmin = useMe()?.role === 'admin';
  const [typed, setTyped] = useState<string | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const { isBusy, problem, run } = useSubmit();
  const days = Number(typed ?? keepDays);
  const save = async () => {
    const isSaved = await run(() => api.submissions.keep(days));
    if (!isSaved) return;
    setTyped(null);
    toast(t('keeping.saved'));
    onSaved();
  };
  return (
    <Section
      title={t('keeping.title')}
      intro={
        <>
          {mailsTo === null ? t('mailsNobody') : t('mailsTo', { address: mailsTo })}{' '}
          <Link
            href={LIBRARY_SITE_PATH}
            className="underline decoration-rule-strong underline-offset-2 hover:text-ink hover:decoration-ink"
          >
            {t('toSettings')}
          </Link>
        </>
      }
    >
      {isAdmin ? (
        <form
          className="flex flex-wrap items-center gap-3 text-sm"
          onSubmit={(event) => {
            event.preventDefault();
            if (days < keepDays) setIsAsking(true);
            else void save();
          }}
        >
          <label htmlFor={id}>{t('keeping.label')}</label>
          <input
            id={id}
            inputMode="numeric"
            aria-describedby={`${id}-hint`}
            value={typed ?? String(keepDays)}
            onChange={({ target }) => setTyped(target.value)}
            className={`${fieldStyle} w-24 border-rule-strong`}
          />
          <Button type="submit" disabled={isBusy || typed === null || days === keepDays}>
            {t('keeping.save')}
          </Button>
          <p id={`${id}-hint`} className="text-ink-2">
            {t('keeping.body')}
          </p>
          <Problem text={problem} className="w-full" />
        </form>
      ) : (
        <p className="text-sm text-ink-2">{t('keeping.adminOnly', { days: keepDays })}</p>
      )}
      <ConfirmDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        title={t('keeping.fewer.title', { days })}
        body={t('keeping.fewer.body')}
        confirm={t('keeping.fewer.confirm')}
        onConfirm={() => void save()}
      />
    </Section>
  );
}
