import { shownPercent } from '#components/format.ts';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import type { ChatSession } from '#components/chat/session/chat-session.ts';
import { ContextRing } from '#components/ui/context-level';
import { useApi } from '#components/api/use-api.ts';

const t = translator('composer');

/** The conversation whose context is shown, and the model it is counted for. */
export interface ContextMeterProps {
  readonly session: ChatSession;
  /** The model of the next message; undefined: the session's. */
  readonly modelId: string | undefined;
  /** True once the transcript is loaded: an earlier request for the context would delay the transcript. */
  readonly isLoaded: boolean;
}

/** The size of the context and its parts; undefined while loading. */
export const useSessionContext = ({ session, modelId, isLoaded }: ContextMeterProps) =>
  useApi(isLoaded ? paths.context(session.id, modelId) : null).data;

interface MeterButtonProps extends ContextMeterProps {
  /** True if the breakdown is open. */
  readonly isOpen: boolean;
  readonly onPress: () => void;
}

/** The context's fill level next to the message field; a press opens the breakdown. */
export function ContextMeter({ isOpen, onPress, ...props }: MeterButtonProps) {
  const context = useSessionContext(props);
  return (
    <button
      type="button"
      data-meter
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      aria-label={context ? t('memory.used', { percent: shownPercent(context.percentUsed) }) : t('memory.unknown')}
      onClick={onPress}
      className="flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-ink-2 tabular-nums hover:bg-ink/6 aria-expanded:bg-ink/6"
    >
      <ContextRing percent={context?.percentUsed ?? null} />
      {context && t('memory.percent', { percent: shownPercent(context.percentUsed) })}
    </button>
  );
}
