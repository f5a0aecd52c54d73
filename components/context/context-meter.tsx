import useSWR from 'swr';
import { paths } from '#components/api/paths';
import type { ChatSession } from '#components/chat/session/chat-session';
import { composerStrings } from '#components/chat/session/words';
import { ContextRing } from '#components/ui/context-level';
import type { SessionContext } from '#server/core/context-report';

/** The conversation whose context is shown, and the model it is counted for. */
export interface ContextMeterProps {
  readonly session: ChatSession;
  /** The model of the next message; undefined: the session's. */
  readonly modelId: string | undefined;
  /** The transcript is there: until then counting would only be in its way. */
  readonly isLoaded: boolean;
}

/** Report on the context; undefined until it is there. */
export const useSessionContext = ({ session, modelId, isLoaded }: ContextMeterProps) =>
  useSWR<SessionContext>(isLoaded ? paths.context(session.id, modelId) : null).data;

interface MeterButtonProps extends ContextMeterProps {
  /** Its breakdown is on screen. */
  readonly isOpen: boolean;
  readonly onPress: () => void;
}

/** The context's filling level beside the composer; a press opens its breakdown. */
export function ContextMeter({ isOpen, onPress, ...props }: MeterButtonProps) {
  const context = useSessionContext(props);
  return (
    <button
      type="button"
      data-meter
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      aria-label={context ? composerStrings.memory.used(context.percentUsed) : composerStrings.memory.unknown}
      onClick={onPress}
      className="flex h-8 items-center gap-1.5 rounded-md px-2 text-xs text-ink-2 tabular-nums hover:bg-ink/6 aria-expanded:bg-ink/6"
    >
      <ContextRing percent={context?.percentUsed ?? null} />
      {context && composerStrings.memory.percent(context.percentUsed)}
    </button>
  );
}
