import { TrashRow } from '#components/library/trash/trash-row';
import { Button } from '#components/ui/button';
import { Notice } from '#components/ui/notice';
import { useTrash } from '#lib/library/use-trash';
import { libraryStrings } from '#lib/strings/library';
import type { TrashKind } from '#server/core/trash';

const say = libraryStrings.trash;

/** What of one kind was deleted, the last first. */
export function TrashSection({ kind }: { readonly kind: TrashKind }) {
  const { items, total, error, reload, loadMore } = useTrash(kind);
  const { title, empty } = say.kinds[kind];
  return (
    <section aria-labelledby={`trash-${kind}`}>
      <h2 id={`trash-${kind}`} className="flex items-baseline gap-3 font-serif text-xl font-medium tracking-[-0.01em]">
        {title}
        {total > 0 && <span className="font-sans text-sm font-normal text-ink-3 tabular-nums">{say.count(total)}</span>}
      </h2>
      {error ? (
        <Notice title={say.failed} body={error.message} action={{ label: say.retry, run: reload }} />
      ) : items === undefined ? (
        <Placeholder />
      ) : items.length === 0 ? (
        <p className="mt-3 border-t border-rule py-5 text-sm text-ink-2">{empty}</p>
      ) : (
        <ul className="mt-3 border-t border-rule">
          {items.map((item) => (
            <TrashRow key={item.id} item={item} />
          ))}
        </ul>
      )}
      {loadMore && (
        <Button className="mt-4" onClick={loadMore}>
          {say.more}
        </Button>
      )}
    </section>
  );
}

function Placeholder() {
  return (
    <div className="mt-3 border-t border-rule">
      <output className="sr-only">{say.loading}</output>
      {[0, 1].map((row) => (
        <div key={row} aria-hidden className="flex animate-breathe items-center gap-4 border-b border-rule py-4">
          <div className="flex flex-1 flex-col gap-2">
            <div className="h-4 w-48 rounded bg-rule" />
            <div className="h-3 w-72 max-w-full rounded bg-rule" />
          </div>
          <div className="h-8 w-20 rounded-md bg-rule" />
        </div>
      ))}
    </div>
  );
}
