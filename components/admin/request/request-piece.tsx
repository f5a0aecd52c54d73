import clsx from 'clsx';
import { ChevronRight, Eraser } from 'lucide-react';
import { useId } from 'react';
import { ScrollBox } from '#components/admin/scroll-box';
import { excerptAround, markMatches } from '#lib/admin/request-search';
import { adminStrings } from '#lib/strings/admin';
import type { RequestPart } from '#server/core/context-report';

const say = adminStrings.request;

interface RequestPieceProps {
  /** Its number in the request; empty where it has none. */
  readonly place: string;
  readonly name: string;
  readonly tokens: number;
  readonly parts: readonly RequestPart[];
  /** Of the largest piece: 0 to 1. */
  readonly share: number;
  readonly query: string;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** One line of the request with its tokens; unfolded, all its parts as the model reads them. */
export function RequestPiece({ place, name, tokens, parts, share, query, isOpen, onToggle }: RequestPieceProps) {
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
          <span className="text-xs tabular-nums">{say.tokens(tokens)}</span>
          <span aria-hidden className="flex h-1 w-full justify-end overflow-hidden rounded-[2px] bg-rule/60">
            <span className="h-full rounded-[2px] bg-accent/60" style={{ width: `${String(share * 100)}%` }} />
          </span>
        </span>
      </button>
      <div id={id}>{isOpen && <Parts parts={parts} query={query} />}</div>
    </>
  );
}

/** The words of the first part that matches, else of the first. */
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
            <span className="font-medium text-ink">{say.types[part.type] ?? part.type}</span>
            {part.toolName !== null && <span>{part.toolName}</span>}
            {part.isCleared && <ClearedMark />}
            <span className="ml-auto tabular-nums">{say.tokens(part.tokens)}</span>
          </header>
          <ScrollBox
            label={say.types[part.type] ?? part.type}
            className="mt-1 max-h-96 rounded-md border border-rule bg-sheet px-4 py-3 text-sm leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
          >
            {part.text === '' ? (
              <span className="text-ink-3">{say.noText}</span>
            ) : (
              <Marked text={part.text} query={query} />
            )}
          </ScrollBox>
          {part.characters > part.text.length && (
            <p className="mt-1 text-xs text-ink-3">{say.cut(part.text.length, part.characters)}</p>
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
      {say.cleared}
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
