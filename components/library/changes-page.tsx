'use client';

import { ArrowUpRight } from 'lucide-react';
import Link from 'next/link';
import { useSearchParams } from 'next/navigation';
import { useId, useMemo, useState } from 'react';
import { useMe } from '#components/access/access-client.ts';
import { paths } from '#components/api/paths.ts';
import { ChangeRow } from '#components/changes/change-row';
import { type ChangeDay, conversationOf, groupByDay, whoMade } from '#components/changes/change-facts.ts';
import { ConflictDialog } from '#components/changes/conflict-dialog';
import { type Changes, useChanges } from '#components/changes/use-changes.ts';
import { LIBRARY_CHANGES_PATH, replacePath, sessionPath } from '#components/workspace/navigation.ts';
import { entryPath } from '#components/workspace/preview-path.ts';
import { usePreviewHref } from '#components/workspace/site-of-page';
import { type ChangesView, changesViewQuery, parseChangesView } from '#components/library/changes-view.ts';
import { ChangesFilters } from '#components/library/changes-filters';
import { translator } from '#components/i18n.ts';
import { ScheduledSection } from '#components/scheduled/scheduled-section';
import { summaryText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { ageGroup, dayName } from '#components/ui/times.ts';
import { useAnswered, useNow } from '#components/ui/hooks.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { PageTitle } from '#components/ui/page-parts';
import { useApi } from '#components/api/use-api.ts';
import type { ChangeSet, Conflict } from '#server/core/site/changes';

const t = translator('changesPage');
const tChanges = translator('changes');
/** Polling interval for changes made elsewhere; ms. A choice, not measured. */
const REFRESH_INTERVAL = 15_000;
/** Changes per request. A choice, not measured. */
const PAGE_SIZE = 50;

/** Puts the view into the address, from which the page renders it. */
function setView(view: ChangesView): void {
  const query = changesViewQuery(view);
  replacePath(query === '' ? LIBRARY_CHANGES_PATH : `${LIBRARY_CHANGES_PATH}?${query}`);
}

/** Changes the view. Reads the present one from the address, because the page may not have rendered it yet. */
function changeView(changes: Partial<ChangesView>): void {
  setView({ ...parseChangesView(new URLSearchParams(window.location.search)), ...changes });
}

/** The journal of the whole site: who changed what and when, with undo. */
export function ChangesPage() {
  const view = parseChangesView(useSearchParams());
  const changes = useChanges(view, { refreshInterval: REFRESH_INTERVAL, pageSize: PAGE_SIZE });
  const [conflict, setConflict] = useState<Conflict | null>(null);
  // Waits for the scheduled publications, which would move the list if they appeared later, and for the user's rights,
  // which determine their buttons.
  const isReady = [useAnswered(paths.scheduled), useAnswered(paths.me)].every(Boolean);
  return (
    <div className="mx-auto max-w-[56rem]">
      <PageTitle title={tChanges('title')} intro={t('intro')} />
      {isReady ? (
        <>
          <ScheduledSection />
          <ChangesFilters view={view} onChange={changeView} />
          <List changes={changes} view={view} onConflict={setConflict} />
        </>
      ) : (
        <Skeleton />
      )}
      {conflict && <ConflictDialog conflict={conflict} onClose={() => setConflict(null)} />}
    </div>
  );
}

interface ListProps {
  readonly changes: Changes;
  readonly view: ChangesView;
  readonly onConflict: (conflict: Conflict) => void;
}

function List({ changes, view, onConflict }: ListProps) {
  const { items } = changes;
  const days = useMemo(() => groupByDay(items ?? []), [items]);
  if (changes.error !== undefined) {
    return <LoadFailed title={tChanges('failed')} onRetry={changes.reload} />;
  }
  if (items === undefined) return <Skeleton />;
  if (items.length === 0) return <Nothing view={view} />;
  return (
    <>
      {days.map((day) => (
        <Day key={day.key} day={day} onConflict={onConflict} />
      ))}
      {changes.loadMore && (
        <Button onClick={changes.loadMore} disabled={changes.isLoadingMore} className="mt-8">
          {changes.isLoadingMore ? t('loadingOlder') : t('older')}
        </Button>
      )}
    </>
  );
}

function Nothing({ view }: { readonly view: ChangesView }) {
  return changesViewQuery(view) === '' ? (
    <Notice title={tChanges('empty')} body={t('emptySite')} />
  ) : (
    <Notice title={t('noMatch')} action={{ label: t('showAll'), run: () => setView({}) }} />
  );
}

function Day({ day, onConflict }: { readonly day: ChangeDay; readonly onConflict: (conflict: Conflict) => void }) {
  const id = useId();
  const now = useNow(60_000);
  const time = Number(day.key);
  const age = now === null ? null : ageGroup(time, now);
  return (
    <section aria-labelledby={id} className="pt-8">
      <h2 id={id} className="border-b border-rule-strong pb-1.5 font-serif text-lg font-medium">
        {age === 'today' || age === 'yesterday' ? t(age) : dayName(time)}
      </h2>
      <ol className="divide-y divide-rule">
        {day.changes.map((change) => (
          <ChangeRow key={change.id} change={change} onConflict={onConflict} facts={<Facts change={change} />} />
        ))}
      </ol>
    </section>
  );
}

/** Author, kind and conversation of a change. */
function Facts({ change }: { readonly change: ChangeSet }) {
  const { turnId, approvalId } = change.origin;
  const sessionId = conversationOf(change.origin, useMe()?.id);
  return (
    <>
      <span className="text-ink-2">{whoMade(change.origin)}</span>
      <Target change={change} />
      {sessionId !== null && <ConversationLink sessionId={sessionId} turnId={turnId} summary={summaryText(change)} />}
      {approvalId !== undefined && <span>{tChanges('approved')}</span>}
    </>
  );
}

const factLink = 'inline-flex min-w-0 items-center gap-0.5 rounded hover:text-accent';

function Target({ change: { targetType, slug, title } }: { readonly change: ChangeSet }) {
  const previewHref = usePreviewHref();
  const { data: settings } = useApi(paths.settings);
  const kind = t(`kinds.${targetType}`);
  if ((targetType !== 'page' && targetType !== 'post') || slug === null) return <span>{kind}</span>;
  const path = entryPath({ type: targetType, slug }, settings?.homeSlug ?? '');
  return (
    <span className="inline-flex max-w-full min-w-0 gap-1">
      {kind}
      <Link href={previewHref(path, 'draft')} className={factLink} prefetch={false}>
        <span className="truncate">{title}</span>
        <ArrowUpRight aria-hidden className="size-3.5 shrink-0 stroke-[1.75]" />
      </Link>
    </span>
  );
}

interface ConversationLinkProps {
  readonly sessionId: string;
  readonly turnId: string | undefined;
  readonly summary: string;
}

/** Link to the turn of a change, in the history of its conversation. */
function ConversationLink({ sessionId, turnId, summary }: ConversationLinkProps) {
  return (
    // A plain link that reloads: on navigation between the two layouts, the browser would request an icon.
    <a
      href={`${sessionPath(sessionId)}#changes${turnId === undefined ? '' : `=${turnId}`}`}
      aria-label={tChanges('inConversationLabel', { summary })}
      className={factLink}
    >
      {tChanges('inConversation')}
      <ArrowUpRight aria-hidden className="size-3.5 shrink-0 stroke-[1.75]" />
    </a>
  );
}

function Skeleton() {
  return (
    <output aria-label={tChanges('loading')} className="mt-10 block">
      {Array.from({ length: 8 }, (_, row) => (
        <span key={row} className="flex h-15 flex-col justify-center gap-2 border-b border-rule">
          <span
            className="h-3.5 animate-breathe rounded bg-rule"
            style={{ width: `${String(35 + ((row * 37) % 40))}%` }}
          />
          <span className="h-2.5 w-32 animate-breathe rounded bg-rule" />
        </span>
      ))}
    </output>
  );
}
