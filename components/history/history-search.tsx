import { type Ref, useId, useState } from 'react';
import { translator } from '#components/i18n.ts';
import type { Page } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { openMessage } from '#components/chat/session/chat-sessions.ts';
import { sessionPath } from '#components/workspace/navigation.ts';
import { Switch } from '#components/ui/controls/choices';
import { Button } from '#components/ui/buttons';
import { SearchField } from '#components/ui/fields';
import { dayAndTime } from '#components/ui/times.ts';
import { useSettled } from '#components/ui/hooks.ts';
import { LoadFailed } from '#components/ui/notices';
import type { SessionHit } from '#server/core/conversation/search-hits';
import { MarkedText } from '#components/history/marked-text';
import { useApiPages } from '#components/api/use-api.ts';

const t = translator('history');

/** Typing pause after which the server is asked; milliseconds. A choice, not measured. */
const DELAY = 180;
/** Shortest query that is searched; characters. A choice, not measured. */
const MIN_QUERY_CHARS = 2;

/** `here`: this conversation only. */
type SearchScope = 'here' | 'everywhere';

interface HistorySearchProps {
  readonly ref?: Ref<HTMLInputElement>;
  readonly sessionId: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Called when a result was opened. */
  readonly onOpened: () => void;
}

/** Full-text search of this conversation or of all; each result leads to its place in the transcript. */
export function HistorySearchPanel({ ref, sessionId, query, onQuery, onOpened }: HistorySearchProps) {
  const [scope, setScope] = useState<SearchScope>('here');
  const hintId = useId();
  const wanted = query.trim();
  return (
    <search className="flex flex-col gap-2">
      <SearchField ref={ref} label={t('search.label')} value={query} onChange={onQuery} aria-describedby={hintId} />
      {wanted !== '' && (
        <Switch
          label={t('search.scope')}
          value={scope}
          choices={{ here: t('search.here'), everywhere: t('search.everywhere') }}
          onChange={setScope}
        />
      )}
      <p id={hintId} className="text-xs text-ink-3 empty:hidden">
        {wanted !== '' && wanted.length < MIN_QUERY_CHARS && t('search.tooShort')}
      </p>
      {wanted.length >= MIN_QUERY_CHARS && (
        <Hits key={scope} sessionId={scope === 'here' ? sessionId : null} query={wanted} onOpened={onOpened} />
      )}
    </search>
  );
}

interface HitsProps {
  /** Conversation to search; null: all of them. */
  readonly sessionId: string | null;
  readonly query: string;
  readonly onOpened: () => void;
}

/** The search results, each with an excerpt. */
export function Hits({ sessionId, query, onOpened }: HitsProps) {
  const asked = useSettled(query, DELAY);
  const { data, error, isLoading, isValidating, setSize, mutate } = useApiPages(
    (_index: number, previous: Page<SessionHit> | null) =>
      previous !== null && previous.nextCursor === null
        ? null
        : paths.search(sessionId, asked, previous?.nextCursor ?? undefined),
    { revalidateFirstPage: false, keepPreviousData: false },
  );
  if (error !== undefined && !data)
    return <LoadFailed title={t('search.failed')} error={error} onRetry={() => void mutate()} />;
  if (isLoading || data === undefined || asked !== query)
    return <p className="py-3 text-sm text-ink-3">{t('search.searching')}</p>;
  const hits = data.flatMap(({ items }) => items);
  const hasMore = data.at(-1)?.nextCursor !== null;
  return (
    <>
      <output className={hits.length === 0 ? 'py-3 text-sm text-ink-3' : 'sr-only'}>
        {hits.length === 0 ? t('search.none', { query }) : t('search.found', { count: hits.length })}
      </output>
      {hits.length > 0 && (
        <ol aria-label={t('search.results')} className="flex flex-col gap-px">
          {hits.map((hit) => (
            <HitRow key={hit.messageId} hit={hit} hasTitle={sessionId === null} query={query} onOpened={onOpened} />
          ))}
        </ol>
      )}
      {hasMore && (
        <Button
          variant="ghost"
          aria-disabled={isValidating}
          onClick={() => !isValidating && void setSize((size) => size + 1)}
          className="self-start"
        >
          {isValidating ? t('search.searching') : t('search.more')}
        </Button>
      )}
    </>
  );
}

interface HitRowProps {
  readonly query: string;
  readonly onOpened: () => void;
  readonly hit: SessionHit;
  /** True if results may belong to any conversation. */
  readonly hasTitle: boolean;
}

function HitRow({ hit, hasTitle, query, onOpened }: HitRowProps) {
  const { sessionId, messageId, turnId, role, kind, createdAt, title, snippet } = hit;
  const who = role === 'user' ? t('search.you') : kind === 'text' ? t('search.assistant') : t('search.wrote');
  return (
    <li>
      <a
        href={`${sessionPath(sessionId)}#message=${messageId}`}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onOpened();
          void openMessage({ sessionId, messageId, turnId });
        }}
        className="block rounded-md px-2.5 py-2 text-sm hover:bg-ink/6"
      >
        {hasTitle && <span className="block truncate font-medium">{title}</span>}
        <span className="line-clamp-3 text-ink-2 [overflow-wrap:anywhere]">
          <MarkedText text={snippet} query={query} />
        </span>
        <span className="block text-xs text-ink-3">
          {who} <span aria-hidden>·</span>{' '}
          <time dateTime={new Date(createdAt).toISOString()}>{dayAndTime(createdAt)}</time>
        </span>
      </a>
    </li>
  );
}
