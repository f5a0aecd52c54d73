import clsx from 'clsx';
import { Check, CloudAlert } from 'lucide-react';
import { useConnection } from '#components/api/use-connection';
import type { PageEditorState } from '#components/editor/page-editor';
import { saveWords } from '#components/editor/page-status';

/** Says whether what was written is saved. */
export function SaveMark({ state: { save, problem } }: { readonly state: PageEditorState }) {
  const words = saveWords(save, problem, useConnection() === 'offline');
  const isTrouble = save === 'failed' || save === 'conflict';
  return (
    <output
      className={clsx('inline-flex min-w-0 items-center gap-1 text-xs', isTrouble ? 'text-red' : 'text-ink-3')}
      title={words}
    >
      {save === 'saved' && <Check aria-hidden className="size-3.5" />}
      {isTrouble && <CloudAlert aria-hidden className="size-3.5 shrink-0" />}
      <span className="truncate">{words}</span>
    </output>
  );
}
