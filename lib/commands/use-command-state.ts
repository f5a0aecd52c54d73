import { useTheme } from 'next-themes';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import useSWR, { mutate } from 'swr';
import { api, paths } from '#lib/api/api-client';
import type { ModelList } from '#lib/api/api-client';
import { chatSession } from '#lib/chat/chat-sessions';
import type { CommandState } from '#lib/commands/commands';
import { useIsRunning } from '#lib/chat/use-is-running';
import { useModelChoice } from '#lib/chat/use-model-choice';
import { useSessionTitle } from '#lib/chat/use-sessions';
import type { Undoable } from '#server/core/undoable';

const never = () => () => undefined;

/** Address of what the next undo takes back, for SWR. */
export const undoableKey = (sessionId: string) => ['undoable', sessionId] as const;

/**
 * What commands look at.
 * @param isWanted somebody looks at commands: only then the server is asked what an undo would do
 */
export function useCommandState(sessionId: string | null, isWanted = true): CommandState {
  const session = sessionId === null ? null : chatSession(sessionId);
  const isRunning = useIsRunning(session);
  const isCompacting = useSyncExternalStore(
    session?.subscribe ?? never,
    () => (session?.getState().compactingSince ?? null) !== null,
    () => false,
  );
  const { data: undoable } = useSWR<Undoable | null>(sessionId === null || !isWanted ? null : undoableKey(sessionId), {
    fetcher: ([, id]: ReturnType<typeof undoableKey>) => api.undoable(id),
    dedupingInterval: 0,
  });
  useEffect(() => {
    if (sessionId === null || !isWanted) return undefined;
    // By the next time it may be something else: then it is not known until the server has said it.
    return () => void mutate(undoableKey(sessionId), undefined, { revalidate: true });
  }, [sessionId, isWanted]);
  const { data: models } = useSWR<ModelList>(paths.models);
  const [modelId] = useModelChoice();
  const { theme = 'system' } = useTheme();
  const title = useSessionTitle(sessionId);
  return useMemo(() => {
    const currentModel = modelId ?? models?.defaultModelId;
    return {
      sessionId,
      title,
      isRunning,
      isCompacting,
      undoable: sessionId === null ? null : undoable,
      models: models?.items.map(({ id, name }) => ({ value: id, label: name, isCurrent: id === currentModel })) ?? [],
      theme,
    };
  }, [sessionId, title, isRunning, isCompacting, undoable, models, modelId, theme]);
}
