import type { ReactNode } from 'react';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { NotLoaded } from '#components/ui/notices';

interface SharedDraftSectionProps<Item> {
  /** Id of the heading. */
  readonly id: string;
  readonly title: string;
  /** Undefined while unknown. */
  readonly items: readonly Item[] | undefined;
  readonly error: Error | undefined;
  readonly texts: { readonly none: string; readonly loading: string; readonly failed: string };
  readonly onRetry: () => void;
  readonly renderRow: (item: Item) => ReactNode;
}

/** A list about a shared draft, with its heading: its preview links, or the comments on it. */
export function SharedDraftSection<Item extends { readonly id: string }>({
  id,
  title,
  items,
  error,
  texts,
  onRetry,
  renderRow,
}: SharedDraftSectionProps<Item>) {
  return (
    <section aria-labelledby={id} className="mb-5">
      <h3 id={id} className="border-b border-rule pb-2 text-sm font-medium">
        {title}
      </h3>
      {items === undefined ? (
        <NotLoaded title={texts.failed} error={error} loading={texts.loading} onRetry={onRetry} />
      ) : items.length === 0 ? (
        <p className="py-4 text-sm text-ink-2">{texts.none}</p>
      ) : (
        <ul>
          {items.map((item) => (
            <li key={item.id} ref={passOnFocus} className="border-b border-rule">
              {renderRow(item)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
