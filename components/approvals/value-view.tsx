import { useState } from 'react';
import { translator } from '#components/i18n.ts';
import { useFirst } from '#components/ui/hooks.ts';
import { shorten } from '#server/core/text/short-text';

const t = translator('tools');

/** List items and fields of an object that are shown before "more". A choice, not measured. */
const MAX_ITEMS = 20;
const MAX_FIELDS = 40;
/** Level of nesting from which a value is shown as JSON. A choice, not measured. */
const MAX_DEPTH = 5;
/** Characters of one text that are shown before "more". A choice, not measured. */
const MAX_CHARS = 1_200;

/** A field name as words: `sectionId` becomes `section id`. */
const label = (key: string) =>
  key
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

interface ValueViewProps {
  readonly value: unknown;
  /** Level of nesting. Default 0. */
  readonly depth?: number;
}

/** Renders any JSON value for people: fields as rows, lists as lists, text as text; large values in pieces. */
export function ValueView({ value, depth = 0 }: ValueViewProps) {
  if (isEmpty(value)) return <Nothing />;
  if (typeof value !== 'object') return <Text text={typeof value === 'string' ? value : JSON.stringify(value)} />;
  if (depth >= MAX_DEPTH) return <Text text={JSON.stringify(value, null, 1)} isCode />;
  return Array.isArray(value) ? <List items={value} depth={depth} /> : <Fields value={value} depth={depth} />;
}

function isEmpty(value: unknown): value is null | undefined | '' {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === '';
}

function Nothing() {
  return <span className="text-ink-3">{t('nothing')}</span>;
}

function Text({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? text : shorten(text, MAX_CHARS);
  return (
    <>
      <span className={isCode ? 'font-mono text-xs whitespace-pre-wrap' : 'whitespace-pre-wrap'}>{shown}</span>
      {shown !== text && (
        <More text={t('moreText', { characters: text.length - shown.length + 1 })} onClick={() => setIsWhole(true)} />
      )}
    </>
  );
}

function List({ items, depth }: { readonly items: readonly unknown[]; readonly depth: number }) {
  const { shown, hidden, showAll } = useFirst(items, MAX_ITEMS);
  return (
    <ol className="flex flex-col gap-1.5">
      {shown.map((item, index) => (
        <li key={index} className="min-w-0 border-l border-rule-strong pl-2.5 break-words">
          <ValueView value={item} depth={depth + 1} />
        </li>
      ))}
      {hidden > 0 && (
        <li>
          <More text={t('moreItems', { count: hidden })} onClick={showAll} />
        </li>
      )}
    </ol>
  );
}

function Fields({ value, depth }: { readonly value: object; readonly depth: number }) {
  const { shown, hidden, showAll } = useFirst(Object.entries(value) as [string, unknown][], MAX_FIELDS);
  return (
    <>
      <dl className="grid grid-cols-[minmax(3.5rem,auto)_minmax(0,1fr)] gap-x-3 gap-y-1">
        {shown.map(([key, inner]) =>
          // Below their names: next to them, nested values would become narrower at each level.
          isNested(inner) ? (
            <div key={key} className="col-span-2">
              <dt className="text-ink-3">{label(key)}</dt>
              <dd className="mt-1 ml-1 min-w-0 border-l border-rule pl-3 break-words">
                <ValueView value={inner} depth={depth + 1} />
              </dd>
            </div>
          ) : (
            <div key={key} className="contents">
              <dt className="break-words text-ink-3">{label(key)}</dt>
              <dd className="min-w-0 break-words">
                <ValueView value={inner} depth={depth + 1} />
              </dd>
            </div>
          ),
        )}
      </dl>
      {hidden > 0 && <More text={t('moreItems', { count: hidden })} onClick={showAll} />}
    </>
  );
}

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !isEmpty(value);
}

/** Button that shows a hidden rest. */
export function More({ text, onClick }: { readonly text: string; readonly onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="block rounded text-accent hover:underline">
      {text}
    </button>
  );
}
