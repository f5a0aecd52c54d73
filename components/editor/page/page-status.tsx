'use client';

import { Check, CloudOff, LoaderCircle, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useConnection } from '#components/api/use-connection.ts';
import { usePageEditor } from '#components/editor/model/page-editor.ts';
import type { PageEditorState } from '#components/editor/model/pending-values.ts';
import { Tip } from '#components/ui/tip';
import { IconButton } from '#components/ui/buttons';
import { FieldConflictDialog } from '#components/editor/page/field-conflict';
import { PresenceList } from '#components/editor/page/presence-list';
import { translator } from '#components/i18n.ts';

const t = translator('saving.save');

/** Shows who else is on the page and the save state, and asks about a value that two people have edited. */
export function PageStatus({ path }: { readonly path: string }) {
  const { editor, state } = usePageEditor(path);
  /** Identifies the conflict whose dialog the user closed without a decision. */
  const [postponed, setPostponed] = useState<string | null>(null);
  const { conflict } = state;
  const conflictKey = conflict && JSON.stringify([conflict.place, conflict.theirs]);
  return (
    <>
      <PresenceList people={state.others} />
      <SaveMark
        state={state}
        onAct={() => {
          setPostponed(null);
          void editor.flush();
        }}
      />
      {conflict && conflictKey !== postponed && (
        <FieldConflictDialog conflict={conflict} onChoose={editor.resolve} onClose={() => setPostponed(conflictKey)} />
      )}
    </>
  );
}

interface SaveMarkProps {
  readonly state: Pick<PageEditorState, 'save' | 'savedAt' | 'problem'>;
  /** Shows the postponed conflict, or retries the refused save. */
  readonly onAct: () => void;
}

/** Save state icon. Renders nothing until something was edited. */
function SaveMark({ state: { save, savedAt, problem }, onAct }: SaveMarkProps) {
  const isOffline = useConnection() === 'offline';
  const words = save === 'saved' ? (savedAt === null ? '' : t('saved')) : saveWords(save, problem, isOffline);
  return (
    <>
      <output className="sr-only">{save === 'saving' || save === 'waiting' ? '' : words}</output>
      {(save === 'failed' || save === 'conflict') && (
        <IconButton
          label={save === 'failed' ? `${words} ${t('retry')}` : words}
          icon={<TriangleAlert aria-hidden />}
          onClick={onAct}
          className="text-red!"
        />
      )}
      {save !== 'failed' && save !== 'conflict' && words !== '' && (
        <Tip text={words}>
          <span data-save={save} className="inline-flex size-8 shrink-0 items-center justify-center text-ink-3">
            {isOffline && save !== 'saved' ? (
              <CloudOff aria-hidden className="size-4 text-amber" />
            ) : save === 'saved' ? (
              <Check aria-hidden className="size-4" />
            ) : (
              <LoaderCircle aria-hidden className="size-4 motion-safe:animate-spin" />
            )}
          </span>
        </Tip>
      )}
    </>
  );
}

/**
 * Text for the save state, in the header and at an edited text.
 * @param problem the server's reason for a refusal; null: unknown
 */
export function saveWords(save: PageEditorState['save'], problem: string | null, isOffline: boolean): string {
  if (save === 'failed') return problem === null ? t('failedShort') : t('failed', { problem });
  if (save !== 'saved' && save !== 'conflict' && isOffline) return t('offline');
  return t(save);
}
