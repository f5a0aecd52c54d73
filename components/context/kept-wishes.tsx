'use client';

import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { wishStrings } from '#components/context/words';
import { api, type Page } from '#components/api/api-client';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import type { KeptWish } from '#server/core/kept-wishes';

/** Lasting wishes that the conversation keeps, each with a button to let it go; nothing where there are none. */
export function KeptWishes({ sessionId }: { readonly sessionId: string }) {
  const { data, mutate } = useSWR<Pick<Page<KeptWish>, 'items'>>(paths.wishes(sessionId));
  if (!data || data.items.length === 0) return null;
  const letGo = async (id: string) => {
    try {
      await api.letWishGo(sessionId, id);
      await mutate();
    } catch (error) {
      return reportFailure(error);
    }
    const keepAgain = async () => {
      await api.keepWishAgain(sessionId, id);
      await mutate();
    };
    toastWithAction(wishStrings.gone, wishStrings.undo, keepAgain, { id });
  };
  return (
    <section aria-labelledby="kept-wishes" className="flex flex-col gap-1.5 border-t border-rule pt-3">
      <h3 id="kept-wishes" className="text-sm font-medium">
        {wishStrings.title}
      </h3>
      <p className="text-xs text-ink-3">{wishStrings.explain}</p>
      <ul className="flex flex-col gap-1.5">
        {data.items.map(({ id, quote }) => (
          <li key={id} className="flex items-start justify-between gap-3 text-sm">
            <q className="min-w-0 break-words text-ink-2">{quote}</q>
            <button
              type="button"
              aria-label={wishStrings.letGoOf(quote)}
              className="shrink-0 rounded text-xs font-medium text-accent hover:underline"
              onClick={() => void letGo(id)}
            >
              {wishStrings.letGo}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
