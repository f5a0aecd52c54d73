import { translator } from '#components/i18n.ts';
import { useState } from 'react';
import { api } from '#components/api/api-client.ts';
import { paths } from '#components/api/paths.ts';
import { fileSize } from '#components/format.ts';
import { localizedText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { reportFailure } from '#components/ui/dialogs/toasts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('settings.localWindows');

/**
 * Context windows of local models: the memory that each takes, and windows learned from answers, which can be removed.
 */
export function LocalWindows() {
  const { data, mutate } = useApi(paths.models);
  const [removing, setRemoving] = useState<string | null>(null);
  const shown = data?.items.filter(({ memoryBytes, learnedWindow }) => memoryBytes !== null || learnedWindow !== null);
  if (!shown || shown.length === 0) return null;
  const remove = async (id: string) => {
    setRemoving(id);
    try {
      await api.request('DELETE', '/api/settings/learned-windows', { query: { modelId: id } });
      await mutate();
    } catch (error) {
      reportFailure(error);
    } finally {
      setRemoving(null);
    }
  };
  return (
    <ul aria-label={t('title')} className="mt-3 flex flex-col gap-2 text-sm">
      {shown.map(({ id, name, contextWindow, memoryBytes, learnedWindow, warning, warningMessage }) => (
        <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <span className="font-medium break-all">{name}</span>
          <span className="text-ink-2 tabular-nums">
            {memoryBytes === null
              ? t('window', { tokens: contextWindow })
              : t('memory', { tokens: contextWindow, memory: fileSize(memoryBytes) })}
          </span>
          {learnedWindow && (
            <>
              <span className="basis-full text-ink-2">
                {warning === null ? t('learned') : localizedText(warningMessage, warning)}
              </span>
              <Button
                disabled={removing === id}
                onClick={() => void remove(id)}
                aria-label={t('removeOf', { model: name })}
              >
                {t('remove')}
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
