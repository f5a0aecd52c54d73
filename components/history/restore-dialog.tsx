import { AlertDialog } from 'radix-ui';
import { useId, useState } from 'react';
import useSWR from 'swr';
import { api, type RestoreRequest } from '#components/api/api-client.ts';
import { ApiError, messageOf } from '#components/api/api-error.ts';
import { whoMade } from '#components/changes/change-facts.ts';
import { showWritten } from '#components/workspace/content-cache.ts';
import { changesStrings } from '#components/changes/words.ts';
import type { RestorePoint } from '#components/workspace/workspace-actions.ts';
import { inYourWords } from '#components/served-words.ts';
import { historyStrings } from '#components/history/words.ts';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs/confirm-dialog';
import { clockTime, dayAndTime } from '#components/ui/times.ts';
import { reportFailure, toastWithAction } from '#components/ui/dialogs/toasts';
import { strings } from '#components/words.ts';
import type { RestoreOutcome, ChangeSet } from '#server/core/site/changes';

const texts = historyStrings.restore;
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
        toastWithAction(texts.done(clockTime(at)), changesStrings.undo, async () =>
          showWritten(await api.undoChange(first.id, sessionId)),
        );
    } catch (failure) {
      reportFailure(failure);
    }
  };
  const buttons = (
    <>
      <AlertDialog.Cancel asChild>
        <Button variant="ghost">{strings.common.cancel}</Button>
      </AlertDialog.Cancel>
      {data && (
        <AlertDialog.Action asChild>
          <Button variant={others > 0 ? 'danger' : 'primary'} onClick={() => void run()}>
            {others > 0 ? texts.confirmOver(others) : texts.confirm}
          </Button>
        </AlertDialog.Action>
      )}
    </>
  );
  return (
    <AlertContent width="wide" title={texts.title(clockTime(at))} body={bodyOf(data, error)} buttons={buttons}>
      <div className="mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto">
        <ScopeChoice scope={scope} title={title} onChange={setScope} />
        {data && <Steps label={texts.along} steps={data.along} />}
        {others > 0 && data && (
          <section>
            <h3 className="text-sm font-medium">{texts.others(others)}</h3>
            <p className="mb-2 text-sm text-ink-3">{texts.othersBody}</p>
            <Steps label={texts.others(others)} steps={data.others} isWarning />
          </section>
        )}
      </div>
    </AlertContent>
  );
}

function bodyOf(data: RestoreOutcome | undefined, error: unknown): string {
  if (data) return texts.body(data.along.length + data.others.length);
  // A message about the site: nothing was changed since, or an address is taken.
  if (error instanceof ApiError && error.status === 409) return error.message;
  return error === undefined ? texts.checking : `${texts.checkFailed} ${messageOf(error)}`;
}

interface ScopeChoiceProps {
  readonly scope: Scope;
  readonly title: string;
  readonly onChange: (scope: Scope) => void;
}

function ScopeChoice({ scope, title, onChange }: ScopeChoiceProps) {
  const name = useId();
  const labels: Record<Scope, string> = { page: texts.page(title), conversation: texts.conversation };
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="sr-only">{texts.scope}</legend>
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
          {inYourWords(step.summary)}{' '}
          <span className="text-xs text-ink-3">
            {changesStrings.dialog.laterBy(whoMade(step.origin), dayAndTime(step.createdAt))}
          </span>
        </li>
      ))}
      {steps.length > MAX_LISTED_STEPS && <li className="text-ink-3">{texts.more(steps.length - MAX_LISTED_STEPS)}</li>}
    </ul>
  );
}
