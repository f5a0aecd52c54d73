import { useTheme } from 'next-themes';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import useSWR, { mutate } from 'swr';
import { api } from '#components/api/api-client';
import { paths } from '#components/api/paths';
import type { CommandState } from '#components/chat/commands/commands';
import { useModelChoice } from '#components/chat/models/model-picker';
import { chatSession, useIsRunning } from '#components/chat/session/chat-sessions';
import { useSessionTitle } from '#components/chat/session/use-sessions';
import type { ModelList } from '#server/core/settings-report';
import type { Undoable } from '#server/core/site-lists';

const never = () => () => undefined;

/** SWR key of what the next undo would undo. */
export const undoableKey = (sessionId: string) => ['undoable', sessionId] as const;

/**
 * The state for commands.
 * @param isWanted commands are shown: only then is the server asked what an undo would do
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
  const modelId = useModelChoice(sessionId);
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
