import {
  excerptAround,
  markMatches,
  type RequestMatches,
  searchRequest,
} from '#components/admin/session/request-search.ts';
import clsx from 'clsx';
import { Check, ChevronRight, Copy, Eraser } from 'lucide-react';
import { useCallback, useDeferredValue, useId, useMemo, useRef, useState } from 'react';
import { toast } from 'sonner';
import { Virtualizer } from 'virtua';
import type { Report } from '#components/admin/session/use-session-report.ts';
import { translator } from '#components/i18n.ts';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { messageOf } from '#components/api/api-error.ts';
import { Button } from '#components/ui/buttons';
import { SearchField } from '#components/ui/fields';
import { number } from '#components/format.ts';
import { LoadFailed, Notice } from '#components/ui/notices';
import { ScrollBox, Section } from '#components/ui/page-parts';
import type { NextRequest, RequestMessage, RequestPart } from '#server/core/conversation/context-report';

/** Tokens of the largest piece of a request, to which the bars of all pieces are relative. At least 1. */
function largestPiece(request: NextRequest): number {
  return Math.max(
    1,
    request.instructions.tokens,
    request.tools.tokens,
    ...request.messages.map((message) => message.tokens),
  );
}

const t = translator('admin.request');

interface RequestSectionProps {
  readonly sessionId: string;
  readonly request: Report<NextRequest>;
  readonly onRetry: () => void;
}

/** The exact content of the next request, piece by piece, to read and to search. */
export function RequestSection({ sessionId, request, onRetry }: RequestSectionProps) {
  const { data, error } = request;
  return (
    <Section title={t('title')} intro={t('intro')} controls={data && <CopyButton sessionId={sessionId} />}>
      {error !== undefined && <LoadFailed title={t('failed')} onRetry={onRetry} />}
      {data && <Pieces request={data} />}
    </Section>
  );
}

function Pieces({ request }: { readonly request: NextRequest }) {
  const [text, setText] = useState('');
  const query = useDeferredValue(text.trim());
  const matches = useMemo(() => searchRequest(request, query), [request, query]);
  const all = request.messages.length + 2;
  const found = matches.messages.length + Number(matches.instructions) + Number(matches.tools);
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="text-sm">
          <strong className="font-serif text-lg font-medium tabular-nums">
            {t('total', { tokens: request.tokens })}
          </strong>{' '}
          <span className="text-ink-2">{t('for', { model: request.modelId })}</span>
        </p>
        <div className="flex items-center gap-3 max-sm:w-full">
          <output className="text-xs text-ink-2 tabular-nums">
            {query === '' ? '' : t('matches', { found, all })}
          </output>
          <SearchField label={t('search')} value={text} onChange={setText} className="max-sm:flex-1 sm:w-64" />
        </div>
      </div>
      {found === 0 ? (
        <Notice title={t('noMatch')} />
      ) : (
        <RequestList request={request} matches={matches} query={query} />
      )}
    </>
  );
}

function CopyButton({ sessionId }: { readonly sessionId: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    try {
      const messages = await api.get(paths.contextMessages(sessionId));
      await navigator.clipboard.writeText(JSON.stringify(messages, null, 2));
      setIsCopied(true);
      toast(t('copied'));
    } catch (error) {
      toast.error(t('copyFailed', { reason: messageOf(error) }));
    }
  };
  const Icon = isCopied ? Check : Copy;
  return (
    <Button onClick={() => void copy()}>
      <Icon aria-hidden className="size-3.5" />
      {t('copy')}
    </Button>
  );
}

interface RequestListProps {
  readonly request: NextRequest;
  readonly matches: RequestMatches;
  readonly query: string;
}

/** A row of the list: the instructions, the tools, or a message. */
interface Piece {
  readonly key: string;
  /** Number of a message in the request; empty for other pieces. */
  readonly place: string;
  readonly name: string;
  readonly tokens: number;
  readonly parts: readonly RequestPart[];
}

/** Instructions, tools and messages that match, in the order of the request. Renders only what is visible. */
function RequestList({ request, matches, query }: RequestListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => {
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const largest = largestPiece(request);
  return (
    <div ref={frame} className="mt-4 max-h-[44rem] overflow-y-auto border-y border-rule-strong [overflow-anchor:none]">
      <Virtualizer as="ul" item="li" scrollRef={frame} bufferSize={600}>
        {piecesOf(request, matches).map((piece) => (
          <div key={piece.key} className="border-b border-rule">
            <RequestPiece
              place={piece.place}
              name={piece.name}
              tokens={piece.tokens}
              parts={piece.parts}
              share={piece.tokens / largest}
              query={query}
              isOpen={open.has(piece.key)}
              onToggle={() => toggle(piece.key)}
            />
          </div>
        ))}
      </Virtualizer>
    </div>
  );
}

function piecesOf(request: NextRequest, matches: RequestMatches): readonly Piece[] {
  const { instructions, tools } = request;
  return [
    ...(matches.instructions
      ? [fixedPiece('instructions', t('instructions'), instructions.text, instructions.tokens)]
      : []),
    ...(matches.tools
      ? [
          fixedPiece(
            'tools',
            `${t('tools')} · ${t('toolCount', { count: tools.names.length })}`,
            tools.names.join(', '),
            tools.tokens,
          ),
        ]
      : []),
    ...matches.messages.map(({ position, message }) => ({
      key: String(position),
      place: number.format(position),
      name: nameOf(message),
      tokens: message.tokens,
      parts: message.parts,
    })),
  ];
}

function fixedPiece(key: string, name: string, text: string, tokens: number): Piece {
  const part = { type: 'text' as const, toolName: null, text, characters: text.length, tokens, isCleared: false };
  return { key, place: '', name, tokens, parts: [part] };
}

function nameOf(message: RequestMessage): string {
  return message.isSummary ? t('summary') : t(`roles.${message.role}`);
}

interface RequestPieceProps {
  /** Number in the request; empty for pieces without a number. */
  readonly place: string;
  readonly name: string;
  readonly tokens: number;
  readonly parts: readonly RequestPart[];
  /** Relative to the largest piece: 0 to 1. */
  readonly share: number;
  readonly query: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A row of the request with its tokens; expands to its parts as the model reads them. */
function RequestPiece({ place, name, tokens, parts, share, query, isOpen, onToggle }: RequestPieceProps) {
  const id = useId();
  const isCleared = parts.some((part) => part.isCleared);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        className="grid w-full grid-cols-[1rem_minmax(0,1fr)_6rem] items-center gap-x-3 px-1 py-2.5 text-left text-sm -outline-offset-2 hover:bg-ink/3 sm:grid-cols-[1rem_2.5rem_8.5rem_minmax(0,1fr)_10rem]"
      >
        <ChevronRight aria-hidden className={clsx('size-4 text-ink-3 transition-transform', isOpen && 'rotate-90')} />
        <span className="text-right text-xs text-ink-3 tabular-nums max-sm:hidden">{place}</span>
        <span className="flex min-w-0 items-center gap-1.5 font-medium max-sm:col-start-2">
          <span className="truncate">{name}</span>
          {isCleared && <ClearedMark />}
        </span>
        <span className="truncate text-ink-2 max-sm:col-span-2 max-sm:col-start-2 max-sm:row-start-2">
          <Marked text={previewOf(parts, query)} query={query} />
        </span>
        <span className="flex flex-col items-end gap-1 max-sm:col-start-3 max-sm:row-start-1">
          <span className="text-xs tabular-nums">{t('tokens', { tokens })}</span>
          <span aria-hidden className="flex h-1 w-full justify-end overflow-hidden rounded-[2px] bg-rule/60">
            <span className="h-full rounded-[2px] bg-accent/60" style={{ width: `${String(share * 100)}%` }} />
          </span>
        </span>
      </button>
      <div id={id}>{isOpen && <Parts parts={parts} query={query} />}</div>
    </>
  );
}

/** Text of the first part that matches, else of the first part. */
function previewOf(parts: readonly RequestPart[], query: string): string {
  const needle = query.toLowerCase();
  const part = parts.find(({ text }) => needle !== '' && text.toLowerCase().includes(needle)) ?? parts[0];
  if (!part) return '';
  const text = excerptAround(part.text, query);
  return part.toolName === null ? text : `${part.toolName} ${text}`;
}

function Parts({ parts, query }: { readonly parts: readonly RequestPart[]; readonly query: string }) {
  return (
    <div className="flex flex-col gap-4 pt-1 pr-1 pb-5 pl-8 sm:pl-19">
      {parts.map((part, index) => (
        <section key={index} className="min-w-0">
          <header className="flex flex-wrap items-baseline gap-x-3 text-xs text-ink-2">
            <span className="font-medium text-ink">{t.find(`types.${part.type}`) ?? part.type}</span>
            {part.toolName !== null && <span>{part.toolName}</span>}
            {part.isCleared && <ClearedMark />}
            <span className="ml-auto tabular-nums">{t('tokens', { tokens: part.tokens })}</span>
          </header>
          <ScrollBox
            label={t.find(`types.${part.type}`) ?? part.type}
            className="mt-1 max-h-96 rounded-md border border-rule bg-sheet px-4 py-3 text-sm leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            {part.text === '' ? (
              <span className="text-ink-3">{t('noText')}</span>
            ) : (
              <Marked text={part.text} query={query} />
            )}
          </ScrollBox>
          {part.characters > part.text.length && (
            <p className="mt-1 text-xs text-ink-3">{t('cut', { shown: part.text.length, all: part.characters })}</p>
          )}
        </section>
      ))}
    </div>
  );
}

function ClearedMark() {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-xs font-normal text-amber">
      <Eraser aria-hidden className="size-3.5 stroke-[1.75]" />
      {t('cleared')}
    </span>
  );
}

function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  return markMatches(text, query).map((piece, index) =>
    piece.isMatch ? (
      <mark key={index} className="rounded-[2px] bg-accent-wash text-accent-strong">
        {piece.text}
      </mark>
    ) : (
      piece.text
    ),
  );
}
