import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { api } from '#components/api/api-client.ts';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('preference');

/** Lasting preferences of the user in a conversation, each with a remove button; renders nothing if there are none. */
export function PreferenceList({ sessionId }: { readonly sessionId: string }) {
  const { data, mutate } = useApi(paths.preferences(sessionId));
  if (!data || data.items.length === 0) return null;
  const remove = async (id: string) => {
    try {
      await api.dropPreference(sessionId, id);
      await mutate();
    } catch (error) {
      return reportFailure(error);
    }
    const restore = async () => {
      await api.restorePreference(sessionId, id);
      await mutate();
    };
    toastWithAction(t('gone'), t('undo'), restore, { id });
  };
  return (
    <section aria-labelledby="kept-wishes" className="flex flex-col gap-1.5 border-t border-rule pt-3">
      <h3 id="kept-wishes" className="text-sm font-medium">
        {t('title')}
      </h3>
      <p className="text-xs text-ink-3">{t('explain')}</p>
      <ul className="flex flex-col gap-1.5">
        {data.items.map(({ id, quote }) => (
          <li key={id} ref={passOnFocus} className="flex items-start justify-between gap-3 text-sm">
            <q className="min-w-0 break-words text-ink-2">{quote}</q>
            <button
              type="button"
              aria-label={t('letGoOf', { quote })}
              className="shrink-0 rounded text-xs font-medium text-accent hover:underline"
              onClick={() => void remove(id)}
            >
              {t('letGo')}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
