import { strings } from '#lib/strings';

const MAX_ITEMS = 30;
const MAX_DEPTH = 4;

const label = (key: string) =>
  key
    .replaceAll('_', ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

interface ValueViewProps {
  readonly value: unknown;
  readonly depth?: number;
}

/** Any JSON value as something to read: fields as rows, lists as lists, text as text. */
export function ValueView({ value, depth = 0 }: ValueViewProps) {
  if (value === undefined || value === null || value === '') {
    return <span className="text-ink-3">{strings.tool.nothing}</span>;
  }
  if (typeof value !== 'object') {
    return <span className="whitespace-pre-wrap">{typeof value === 'string' ? value : JSON.stringify(value)}</span>;
  }
  if (depth >= MAX_DEPTH) return <code className="text-xs">{JSON.stringify(value)}</code>;
  return Array.isArray(value) ? <List items={value} depth={depth} /> : <Fields value={value} depth={depth} />;
}

function List({ items, depth }: { readonly items: readonly unknown[]; readonly depth: number }) {
  if (items.length === 0) return <span className="text-ink-3">{strings.tool.nothing}</span>;
  return (
    <ol className="flex flex-col gap-1.5">
      {items.slice(0, MAX_ITEMS).map((item, index) => (
        <li key={index} className="border-l border-rule pl-2">
          <ValueView value={item} depth={depth + 1} />
        </li>
      ))}
      {items.length > MAX_ITEMS && <li className="text-ink-3">{strings.tool.moreItems(items.length - MAX_ITEMS)}</li>}
    </ol>
  );
}

function Fields({ value, depth }: { readonly value: object; readonly depth: number }) {
  const entries = Object.entries(value);
  if (entries.length === 0) return <span className="text-ink-3">{strings.tool.nothing}</span>;
  return (
    <dl className="grid grid-cols-[minmax(3.5rem,auto)_1fr] gap-x-3 gap-y-1">
      {entries.map(([key, inner]) => (
        <div key={key} className="contents">
          <dt className="text-ink-3">{label(key)}</dt>
          <dd className="min-w-0 break-words">
            <ValueView value={inner} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
