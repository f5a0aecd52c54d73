import { useLayoutEffect, useRef } from 'react';
import { translator } from '#components/i18n.ts';
import type { BatchRun } from '#components/pages/use-batch.ts';
import { Button } from '#components/ui/buttons';
import { ScrollBox } from '#components/ui/page-parts';
import { ProgressBar } from '#components/ui/progress-bar';

const t = translator('pages.batch');
const tShared = translator('shared');
const tChanges = translator('changes');

interface BatchPanelProps {
  readonly run: BatchRun;
  readonly onCancel: () => void;
  /** After a cancel: ends without waiting for the answer of the present request. */
  readonly onLeave: () => void;
  readonly onUndo: () => void;
  /** Goes on with what was not sent. */
  readonly onResume: () => void;
  readonly onClose: () => void;
}

/** Progress of an action on several pages and posts, then its result with an undo. */
export function BatchPanel({ run, onCancel, onLeave, onUndo, onResume, onClose }: BatchPanelProps) {
  const { action, done, total, isEnded, isStopping, changes, refused } = run;
  const latest = changes.at(-1);
  const panel = useRef<HTMLElement>(null);
  const hasFocus = useRef(false);
  // Takes the focus from the button that started the action, which is gone.
  useLayoutEffect(() => panel.current?.focus(), []);
  // And from Undo and Cancel, which are gone when they have been pressed; no blur is reported then.
  useLayoutEffect(() => {
    if (hasFocus.current && panel.current?.contains(document.activeElement) === false) panel.current.focus();
  });
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label={t('label')}
      className="sticky top-15 z-10 mt-6 rounded-lg border border-rule-strong bg-sheet px-4 py-3 shadow-sheet outline-none"
    >
      <div
        role="presentation"
        onFocus={() => {
          hasFocus.current = true;
        }}
        onBlur={() => {
          hasFocus.current = false;
        }}
        className="flex flex-wrap items-center gap-x-3 gap-y-2"
      >
        <p className="min-w-0 flex-1 basis-60 text-sm font-medium tabular-nums">
          {isEnded ? t(`done.${action}`, { count: changes.length }) : t(`running.${action}`, { done, total })}
        </p>
        {isEnded ? (
          <>
            {run.waiting.length > 0 && <Button onClick={onResume}>{t('resume')}</Button>}
            {changes.length > 0 && (
              <Button onClick={onUndo}>{action === 'undo' ? tChanges('redo') : tChanges('undo')}</Button>
            )}
            <Button variant="ghost" onClick={onClose}>
              {tShared('common.close')}
            </Button>
          </>
        ) : (
          <>
            {isStopping && action !== 'undo' && action !== 'redo' && <Button onClick={onLeave}>{t('leave')}</Button>}
            <Button isBusy={isStopping} onClick={onCancel}>
              {isStopping ? t('stopping') : tShared('common.cancel')}
            </Button>
          </>
        )}
      </div>
      {!isEnded && (
        <>
          <ProgressBar label={t(`running.${action}`, { done, total })} done={done} total={total} />
          <p className="mt-1 truncate text-xs text-ink-3">
            {[
              latest && t('latest', { title: latest.title }),
              refused.length > 0 && t('refusedCount', { count: refused.length }),
            ]
              .filter(Boolean)
              .join(' · ')}
          </p>
        </>
      )}
      {/* Announced once, with the end. */}
      <output className="block">{isEnded && <Outcome run={run} />}</output>
    </section>
  );
}

function Outcome({ run }: { readonly run: BatchRun }) {
  const { action, done, total, changes, unchanged, refused, notes, uncertain, problem } = run;
  return (
    <>
      <span className="sr-only">{t(`done.${action}`, { count: changes.length })}</span>
      {unchanged > 0 && <p className="mt-1 text-sm text-ink-2">{t('unchanged', { count: unchanged })}</p>}
      {done < total && <p className="mt-1 text-sm text-ink-2">{t('left', { done, total })}</p>}
      {problem !== null && <p className="mt-1 text-sm text-red">{tShared('common.failed', { reason: problem })}</p>}
      {uncertain.length > 0 && <p className="mt-1 text-sm text-red">{t('uncertain', { count: uncertain.length })}</p>}
      {notes.length > 0 && (
        <ScrollBox label={t('notes')} className="mt-1 max-h-40">
          <ul className="text-sm text-ink-2">
            {notes.map((note) => (
              <li key={note} className="py-0.5 [overflow-wrap:anywhere]">
                {note}
              </li>
            ))}
          </ul>
        </ScrollBox>
      )}
      {refused.length > 0 && (
        <>
          <p className="mt-2 text-sm font-medium">{t('refused', { count: refused.length })}</p>
          <ScrollBox label={t('refused', { count: refused.length })} className="mt-1 max-h-40">
            <ul className="text-sm text-ink-2">
              {refused.map(({ id, title, reason }) => (
                <li key={id} className="py-0.5 [overflow-wrap:anywhere]">
                  <span className="font-medium text-ink">{title}</span>: {reason}
                </li>
              ))}
            </ul>
          </ScrollBox>
        </>
      )}
    </>
  );
}
