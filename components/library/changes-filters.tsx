import { X } from 'lucide-react';
import { translator } from '#components/i18n.ts';
import { useSessionTitle } from '#components/chat/session-list/use-sessions.ts';
import { ChoiceField } from '#components/ui/fields';
import { actorChoices, type ChangesView, targetChoices } from '#components/library/changes-view.ts';
import { labelsOf } from '#components/labels.ts';

const t = translator('changesPage');
const tChanges = translator('changes');

interface ChangesFiltersProps {
  readonly view: ChangesView;
  readonly onChange: (changes: Partial<ChangesView>) => void;
}

/** Filters by author, kind and conversation. */
export function ChangesFilters({ view, onChange }: ChangesFiltersProps) {
  return (
    <search className="mt-8 flex flex-wrap items-center gap-x-5 gap-y-3">
      <ChoiceField
        label={t('whoLabel')}
        any={t('anyone')}
        choices={labelsOf(actorChoices, (actor) => tChanges(actor === 'user' ? 'byHand' : `who.${actor}`))}
        value={view.actor ?? null}
        onChange={(actor) => onChange({ actor })}
        onAny={() => onChange({ actor: undefined })}
      />
      <ChoiceField
        label={t('kindLabel')}
        any={t('anything')}
        choices={labelsOf(targetChoices, (target) => t(`kinds.${target}`))}
        value={view.targetType ?? null}
        onChange={(targetType) => onChange({ targetType })}
        onAny={() => onChange({ targetType: undefined })}
      />
      {view.sessionId !== undefined && (
        <OneConversation sessionId={view.sessionId} onRemove={() => onChange({ sessionId: undefined })} />
      )}
    </search>
  );
}

function OneConversation({ sessionId, onRemove }: { readonly sessionId: string; readonly onRemove: () => void }) {
  const title = useSessionTitle(sessionId);
  return (
    <button
      type="button"
      onClick={onRemove}
      className="inline-flex h-9 max-w-full min-w-0 items-center gap-2 rounded-md bg-accent-wash px-3 text-sm"
    >
      <span className="truncate">
        {sessionId.startsWith('imp_')
          ? t('onlyImport')
          : t('onlyConversation', { title: title ?? t('someConversation') })}
      </span>
      <X aria-hidden className="size-4 shrink-0 stroke-[1.75]" />
      <span className="sr-only">{t('showAll')}</span>
    </button>
  );
}
