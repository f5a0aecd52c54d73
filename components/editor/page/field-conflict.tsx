import { AlertDialog } from 'radix-ui';
import type { FieldConflict } from '#components/editor/model/pending-values.ts';
import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { ValueView } from '#components/approvals/value-view';
import { translator } from '#components/i18n.ts';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs/confirm-dialog';
import type { JsonValue } from '#server/core/json';

const tShared = translator('shared');

const t = translator('saving.conflict');

interface FieldConflictDialogProps {
  readonly conflict: FieldConflict;
  readonly onChoose: (choice: 'mine' | 'theirs') => void;
  /** Closes the dialog without a decision; both texts are kept. */
  readonly onClose: () => void;
}

/**
 * Shows the text typed here next to the one that another person saved in the same place, and asks which one to keep.
 */
export function FieldConflictDialog({ conflict, onChoose, onClose }: FieldConflictDialogProps) {
  return (
    <AlertFrame open onOpenChange={(open) => !open && onClose()}>
      <Content conflict={conflict} onChoose={onChoose} />
    </AlertFrame>
  );
}

interface ContentProps {
  readonly onChoose: (choice: 'mine' | 'theirs') => void;
  readonly conflict: FieldConflict;
}

function Content({ conflict: { mine, theirs, by, isGone }, onChoose }: ContentProps) {
  const who = by?.actor === 'assistant' ? t('byAssistant') : (by?.userName ?? t('somebody'));
  const text = textOf(mine);
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{t('leave')}</Button>
      </AlertDialog.Cancel>
      {isGone ? (
        <Button variant="primary" onClick={() => void copyText(text)}>
          {t('copy')}
        </Button>
      ) : (
        <AlertDialog.Action asChild>
          <Button variant="primary" onClick={() => onChoose('mine')}>
            {t('keepMine')}
          </Button>
        </AlertDialog.Action>
      )}
      <AlertDialog.Action asChild>
        <Button onClick={() => onChoose('theirs')}>{isGone ? t('letGo') : t('keepTheirs')}</Button>
      </AlertDialog.Action>
    </>
  );
  return (
    <AlertContent
      width="wide"
      title={t('title')}
      body={isGone ? t('gone', { who }) : t('body', { who })}
      buttons={buttons}
    >
      <div className="mt-4 grid min-h-0 gap-3 overflow-y-auto sm:grid-cols-2">
        <Side title={t('mine')}>
          <Value value={mine} />
        </Side>
        {!isGone && (
          <Side title={by === null ? t('theirs') : t('theirsBy', { who })}>
            <Value value={theirs} />
          </Side>
        )}
      </div>
    </AlertContent>
  );
}

function Side({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-rule p-3">
      <h3 className="mb-1 text-xs font-medium text-ink-3">{title}</h3>
      {children}
    </section>
  );
}

function Value({ value }: { readonly value: JsonValue }) {
  if (value === null || value === '') return <p className="text-sm text-ink-3">{t('nothing')}</p>;
  if (typeof value === 'object') return <ValueView value={value} />;
  return <p className="text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">{String(value)}</p>;
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

async function copyText(text: string): Promise<void> {
  try {
    // Undefined on a page served over plain HTTP.
    await navigator.clipboard.writeText(text);
    toast(t('copied'));
  } catch {
    toast.error(tShared('common.copyFailed'));
  }
}
