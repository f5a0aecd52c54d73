import { Fragment, type Ref, useId, useState } from 'react';
import useSWRInfinite from 'swr/infinite';
import type { Page } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import { openMessage } from '#components/desk/desk-requests';
import { sessionPath } from '#components/desk/navigation';
import { threadStrings } from '#components/thread/words';
import { Button, Switch } from '#components/ui/buttons';
import { SearchField } from '#components/ui/fields';
import { dayAndTime } from '#components/ui/times';
import { useSettled } from '#components/ui/hooks';
import { LoadFailed } from '#components/ui/notices';
import type { SessionHit } from '#server/core/sessions';

const say = threadStrings.search;
/** Milliseconds without another letter, after which the server is asked. */
const DELAY = 180;
/** Letters from which it is searched. */
const SHORTEST = 2;

type SearchScope = 'here' | 'everywhere';

interface ThreadSearchProps {
  readonly ref?: Ref<HTMLInputElement>;
  readonly sessionId: string;
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** A place was opened. */
  readonly onOpened: () => void;
}

/** Search by words over this conversation or all of them; each hit leads to its place in the transcript. */
export function ThreadSearch({ ref, sessionId, query, onQuery, onOpened }: ThreadSearchProps) {
  const [scope, setScope] = useState<SearchScope>('here');
  const hintId = useId();
  const wanted = query.trim();
  return (
    <search className="flex flex-col gap-2">
      <SearchField ref={ref} label={say.label} value={query} onChange={onQuery} aria-describedby={hintId} />
      {wanted !== '' && (
        <Switch
          label={say.scope}
          value={scope}
          choices={{ here: say.here, everywhere: say.everywhere }}
          onChange={setScope}
        />
      )}
      <p id={hintId} className="text-xs text-ink-3 empty:hidden">
        {wanted !== '' && wanted.length < SHORTEST && say.tooShort}
      </p>
      {wanted.length >= SHORTEST && (
        <Hits key={scope} sessionId={scope === 'here' ? sessionId : null} query={wanted} onOpened={onOpened} />
      )}
    </search>
  );
}

interface HitsProps {
  /** Conversation that is searched; null: all of them. */
  readonly sessionId: string | null;
  readonly query: string;
  readonly onOpened: () => void;
}

/** The places where words were said, with an excerpt each. */
export function Hits({ sessionId, query, onOpened }: HitsProps) {
  const asked = useSettled(query, DELAY);
  const { data, error, isLoading, isValidating, setSize, mutate } = useSWRInfinite<Page<SessionHit>, Error>(
    (_index: number, previous: Page<SessionHit> | null) =>
      previous !== null && previous.nextCursor === null
        ? null
        : paths.search(sessionId, asked, previous?.nextCursor ?? undefined),
    { revalidateFirstPage: false, keepPreviousData: false },
  );
  if (error !== undefined && !data)
    return <LoadFailed title={say.failed} error={error} onRetry={() => void mutate()} />;
  if (isLoading || data === undefined || asked !== query)
    return <p className="py-3 text-sm text-ink-3">{say.searching}</p>;
  const hits = data.flatMap(({ items }) => items);
  const hasMore = data.at(-1)?.nextCursor !== null;
  return (
    <>
      <output className={hits.length === 0 ? 'py-3 text-sm text-ink-3' : 'sr-only'}>
        {hits.length === 0 ? say.none(query) : say.found(hits.length)}
      </output>
      {hits.length > 0 && (
        <ol aria-label={say.results} className="flex flex-col gap-px">
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
          {isValidating ? say.searching : say.more}
        </Button>
      )}
    </>
  );
}

interface HitRowProps extends Pick<HitsProps, 'query' | 'onOpened'> {
  readonly hit: SessionHit;
  /** True if hits may be of any conversation. */
  readonly hasTitle: boolean;
}

function HitRow({ hit, hasTitle, query, onOpened }: HitRowProps) {
  const { sessionId, messageId, turnId, role, kind, createdAt, title, snippet } = hit;
  const who = role === 'user' ? say.you : kind === 'text' ? say.assistant : say.wrote;
  return (
    <li>
      <a
        href={`${sessionPath(sessionId)}#message=${messageId}`}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onOpened();
          openMessage({ sessionId, messageId, turnId });
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

/** A word as the search knows it. */
const WORD = /[\p{L}\p{N}\p{M}]+/gu;

interface TextPiece {
  readonly text: string;
  readonly isFound: boolean;
}

/** Cuts a text where its words begin with words of the query; case and accents do not count, as in the search. */
export function markedPieces(text: string, query: string): TextPiece[] {
  const wanted = [...query.matchAll(WORD)].map(([word]) => fold(word));
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!wanted.some((one) => fold(word).startsWith(one))) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), isFound: false });
    pieces.push({ text: word, isFound: true });
    from = index + word.length;
  }
  return from < text.length ? [...pieces, { text: text.slice(from), isFound: false }] : pieces;
}

function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

/** A text with the words of a query marked. */
function MarkedText({ text, query }: { readonly text: string; readonly query: string }) {
  return markedPieces(text, query).map(({ text: piece, isFound }, index) =>
    isFound ? (
      <mark key={index} className="rounded-[2px] bg-accent/20 text-ink">
        {piece}
      </mark>
    ) : (
      <Fragment key={index}>{piece}</Fragment>
    ),
  );
}
