import { AlertDialog } from 'radix-ui';
import { useId, useState } from 'react';
import useSWR from 'swr';
import { translator } from '#components/i18n.ts';
import { api, type RestoreRequest } from '#components/api/api-client.ts';
import { ApiError, messageOf } from '#components/api/api-error.ts';
import { whoMade } from '#components/changes/change-facts.ts';
import { showWritten } from '#components/workspace/content-cache.ts';
import type { RestorePoint } from '#components/workspace/workspace-actions.ts';
import { summaryText } from '#components/message-text.ts';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs/confirm-dialog';
import { clockTime, dayAndTime } from '#components/ui/times.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import type { RestoreOutcome, ChangeSet } from '#server/core/site/changes';

const t = translator('changes');
const tHistory = translator('history');
const tShared = translator('shared');

/** Most steps listed by name; the rest are counted. A choice, not measured. */
const MAX_LISTED_STEPS = 8;

interface RestoreDialogProps {
  /** Conversation that restores. */
  readonly sessionId: string;
  /** Null: closed. */
  readonly point: RestorePoint | null;
  readonly onClose: () => void;
  /** Called after the restore. */
  readonly onDone: () => void;
}

/**
 * Confirmation before a restore. A dry run first reports which later changes the restore reverses, and which of these
 * other people have made.
 */
export function RestoreDialog({ point, onClose, ...props }: RestoreDialogProps) {
  return (
    <AlertFrame open={point !== null} onOpenChange={(open) => !open && onClose()}>
      {point !== null && <Content {...props} point={point} />}
    </AlertFrame>
  );
}

/** What is restored: one page, or everything that the conversation changed. */
type Scope = 'page' | 'conversation';
interface ContentProps {
  /** Conversation that restores. */
  readonly sessionId: string;
  /** Called after the restore. */
  readonly onDone: () => void;
  readonly point: RestorePoint;
}

function Content({ sessionId, point, onDone }: ContentProps) {
  const [scope, setScope] = useState<Scope>('page');
  // A new key for each opening, so that the cached result of an earlier dry run is never shown.
  const [dryRunKey] = useState(() => crypto.randomUUID());
  const { changeId, at, path, targetId, title } = point;
  const request: RestoreRequest = {
    changeId,
    sessionId,
    ...(scope === 'page' && (targetId === undefined ? path !== undefined && { path } : { targetId })),
  };
  const { data, error } = useSWR(
    ['restore dry run', dryRunKey, scope],
    () => api.restoreTo({ ...request, dryRun: true }),
    { shouldRetryOnError: false },
  );
  const others = data?.others.length ?? 0;
  const run = async () => {
    try {
      const { changes } = await api.restoreTo({ ...request, overOthers: others > 0 });
      const [first] = changes;
      onDone();
      showWritten(changes);
      if (first)
        toastWithAction(tHistory('restore.done', { when: clockTime(at) }), t('undo'), async () =>
          showWritten(await api.undoChange(first.id, sessionId)),
        );
    } catch (failure) {
      reportFailure(failure);
    }
  };
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{tShared('common.cancel')}</Button>
      </AlertDialog.Cancel>
      {data && (
        <AlertDialog.Action asChild>
          <Button variant={others > 0 ? 'danger' : 'primary'} onClick={() => void run()}>
            {others > 0 ? tHistory('restore.confirmOver', { count: others }) : tHistory('restore.confirm')}
          </Button>
        </AlertDialog.Action>
      )}
    </>
  );
  return (
    <AlertContent
      width="wide"
      title={tHistory('restore.title', { when: clockTime(at) })}
      body={bodyOf(data, error)}
      buttons={buttons}
    >
      <div className="mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto">
        <ScopeChoice scope={scope} title={title} onChange={setScope} />
        {data && <Steps label={tHistory('restore.along')} steps={data.along} />}
        {others > 0 && data && (
          <section>
            <h3 className="text-sm font-medium">{tHistory('restore.others', { count: others })}</h3>
            <p className="mb-2 text-sm text-ink-3">{tHistory('restore.othersBody')}</p>
            <Steps label={tHistory('restore.others', { count: others })} steps={data.others} isWarning />
          </section>
        )}
      </div>
    </AlertContent>
  );
}

function bodyOf(data: RestoreOutcome | undefined, error: unknown): string {
  if (data) return tHistory('restore.body', { count: data.along.length + data.others.length });
  // A message about the site: nothing was changed since, or an address is taken.
  if (error instanceof ApiError && error.status === 409) return error.message;
  return error === undefined ? tHistory('restore.checking') : `${tHistory('restore.checkFailed')} ${messageOf(error)}`;
}

interface ScopeChoiceProps {
  readonly scope: Scope;
  readonly title: string;
  readonly onChange: (scope: Scope) => void;
}

function ScopeChoice({ scope, title, onChange }: ScopeChoiceProps) {
  const name = useId();
  const labels: Record<Scope, string> = {
    page: tHistory('restore.page', { title }),
    conversation: tHistory('restore.conversation'),
  };
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="sr-only">{tHistory('restore.scope')}</legend>
      {(['page', 'conversation'] as const).map((value) => (
        <label key={value} className="flex items-start gap-2 text-sm">
          <input
            type="radio"
            name={name}
            checked={scope === value}
            onChange={() => onChange(value)}
            className="mt-0.5 size-4 accent-accent"
          />
          <span className="[overflow-wrap:anywhere]">{labels[value]}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface StepsProps {
  readonly label: string;
  readonly steps: readonly ChangeSet[];
  readonly isWarning?: boolean;
}

function Steps({ label, steps, isWarning = false }: StepsProps) {
  if (steps.length === 0) return null;
  return (
    <ul
      aria-label={label}
      className={`flex flex-col gap-1 border-l-2 pl-3 text-sm ${isWarning ? 'border-amber' : 'border-rule-strong'}`}
    >
      {steps.slice(0, MAX_LISTED_STEPS).map((step) => (
        <li key={step.id} className="[overflow-wrap:anywhere]">
          {summaryText(step)}{' '}
          <span className="text-xs text-ink-3">
            {t('dialog.laterBy', { who: whoMade(step.origin), when: dayAndTime(step.createdAt) })}
          </span>
        </li>
      ))}
      {steps.length > MAX_LISTED_STEPS && (
        <li className="text-ink-3">{tHistory('restore.more', { count: steps.length - MAX_LISTED_STEPS })}</li>
      )}
    </ul>
  );
}
