import type { Preference } from '#server/core/conversation/preferences';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { api } from '#components/api/api-client.ts';
import { refocus } from '#components/ui/focus/focus.ts';
import { passOnFocus } from '#components/ui/focus/pass-on-focus.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('preference');

/**
 * Lasting preferences of the user in a conversation, each with a remove button; proposed ones can be confirmed. Renders
 * nothing if there are none.
 */
export function PreferenceList({ sessionId }: { readonly sessionId: string }) {
  const { data, mutate } = useApi(paths.preferences(sessionId));
  if (!data || data.items.length === 0) return null;
  /** Does something with a preference, and offers to undo it. */
  const change = async (id: string, message: string, act: () => Promise<unknown>, undo: () => Promise<unknown>) => {
    try {
      await act();
      await mutate();
    } catch (error) {
      return reportFailure(error);
    }
    const takeBack = async () => {
      await undo();
      await mutate();
    };
    toastWithAction(message, t('undo'), takeBack, { id });
  };
  const remove = (id: string) =>
    change(
      id,
      t('gone'),
      () => api.dropPreference(sessionId, id),
      () => api.restorePreference(sessionId, id),
    );
  const confirm = (id: string) =>
    change(
      id,
      t('confirmed'),
      () => api.confirmPreference(sessionId, id),
      () => api.unconfirmPreference(sessionId, id),
    );
  return (
    <section aria-labelledby="kept-wishes" className="flex flex-col gap-1.5 border-t border-rule pt-3">
      <h3 id="kept-wishes" className="text-sm font-medium">
        {t('title')}
      </h3>
      <p className="text-xs text-ink-3">{t('explain')}</p>
      <ul className="flex flex-col gap-1.5">
        {data.items.map((preference) => (
          <PreferenceRow key={preference.id} preference={preference} onConfirm={confirm} onRemove={remove} />
        ))}
      </ul>
    </section>
  );
}

interface PreferenceRowProps {
  readonly preference: Preference;
  readonly onConfirm: (id: string) => Promise<void>;
  readonly onRemove: (id: string) => Promise<void>;
}

/** Ref callback of a button that disappears after use while its row stays: moves its focus to the button after it. */
function passToNextButton(button: HTMLButtonElement | null): () => void {
  return () => {
    const next = button?.nextElementSibling;
    if (document.activeElement === button && next instanceof HTMLElement)
      refocus(() => (next.isConnected ? next : null));
  };
}

function PreferenceRow({ preference: { id, quote, confirmedAt }, onConfirm, onRemove }: PreferenceRowProps) {
  const isProposed = confirmedAt === null;
  const button = (label: string, name: string, act: (id: string) => Promise<void>, ref?: typeof passToNextButton) => (
    <button
      ref={ref}
      type="button"
      aria-label={name}
      className="shrink-0 rounded text-xs font-medium text-accent hover:underline"
      onClick={() => void act(id)}
    >
      {label}
    </button>
  );
  return (
    <li ref={passOnFocus} className="flex flex-col gap-0.5 text-sm">
      <div className="flex items-start justify-between gap-3">
        <q className="min-w-0 break-words text-ink-2">{quote}</q>
        <span className="flex shrink-0 gap-3">
          {isProposed && button(t('confirm'), t('confirmOf', { quote }), onConfirm, passToNextButton)}
          {isProposed
            ? button(t('reject'), t('rejectOf', { quote }), onRemove)
            : button(t('letGo'), t('letGoOf', { quote }), onRemove)}
        </span>
      </div>
      {isProposed && <p className="text-xs text-ink-3">{t('proposed')}</p>}
    </li>
  );
}
