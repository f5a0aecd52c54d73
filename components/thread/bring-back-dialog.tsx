import { AlertDialog } from 'radix-ui';
import { useId, useState } from 'react';
import useSWR from 'swr';
import { api, type BringBackRequest } from '#components/api/api-client';
import { ApiError, messageOf } from '#components/api/api-error';
import { whoMade } from '#components/changes/change-facts';
import { showWritten } from '#components/desk/content-cache';
import { changesStrings } from '#components/changes/words';
import type { BringBackPoint } from '#components/desk/desk-requests';
import { inYourWords } from '#components/served-words';
import { threadStrings } from '#components/thread/words';
import { Button } from '#components/ui/buttons';
import { AlertContent, AlertFrame } from '#components/ui/dialogs';
import { clockTime, dayAndTime } from '#components/ui/times';
import { reportFailure, toastWithAction } from '#components/ui/toasts';
import { strings } from '#components/words';
import type { BroughtBack, ChangeSet } from '#server/core/changes';

const say = threadStrings.bringBack;
/** Most steps listed by name; the rest is counted. */
const MOST = 8;

interface BringBackDialogProps {
  readonly sessionId: string;
  /** Null: closed. */
  readonly point: BringBackPoint | null;
  readonly onClose: () => void;
  /** Called once it was brought back. */
  readonly onDone: () => void;
}

/** Asks before something is brought back. The server says first which later steps go with it, and whose are lost. */
export function BringBackDialog({ point, onClose, ...props }: BringBackDialogProps) {
  return (
    <AlertFrame open={point !== null} onOpenChange={(open) => !open && onClose()}>
      {point !== null && <Content {...props} point={point} />}
    </AlertFrame>
  );
}

type Scope = 'page' | 'conversation';
type ContentProps = Pick<BringBackDialogProps, 'sessionId' | 'onDone'> & { readonly point: BringBackPoint };

function Content({ sessionId, point, onDone }: ContentProps) {
  const [scope, setScope] = useState<Scope>('page');
  // What was true the last time it was asked is not shown, not even for a moment.
  const [asked] = useState(() => crypto.randomUUID());
  const { changeId, at, path, targetId, title } = point;
  const request: BringBackRequest = {
    changeId,
    sessionId,
    ...(scope === 'page' && (targetId === undefined ? path !== undefined && { path } : { targetId })),
  };
  const { data, error } = useSWR<BroughtBack, unknown>(['what is brought back', asked, scope], {
    fetcher: () => api.bringBack({ ...request, dryRun: true }),
    shouldRetryOnError: false,
  });
  const others = data?.others.length ?? 0;
  const run = async () => {
    try {
      const { changes } = await api.bringBack({ ...request, overOthers: others > 0 });
      const [first] = changes;
      onDone();
      showWritten(changes);
      if (first)
        toastWithAction(say.done(clockTime(at)), changesStrings.undo, async () =>
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
            {others > 0 ? say.confirmOver(others) : say.confirm}
          </Button>
        </AlertDialog.Action>
      )}
    </>
  );
  return (
    <AlertContent width="wide" title={say.title(clockTime(at))} body={bodyOf(data, error)} buttons={buttons}>
      <div className="mt-4 flex min-h-0 flex-col gap-4 overflow-y-auto">
        <ScopeChoice scope={scope} title={title} onChange={setScope} />
        {data && <Steps label={say.along} steps={data.along} />}
        {others > 0 && data && (
          <section>
            <h3 className="text-sm font-medium">{say.others(others)}</h3>
            <p className="mb-2 text-sm text-ink-3">{say.othersBody}</p>
            <Steps label={say.others(others)} steps={data.others} isWarning />
          </section>
        )}
      </div>
    </AlertContent>
  );
}

function bodyOf(data: BroughtBack | undefined, error: unknown): string {
  if (data) return say.body(data.along.length + data.others.length);
  // A sentence about the site: nothing was changed since, or an address is taken.
  if (error instanceof ApiError && error.status === 409) return error.message;
  return error === undefined ? say.checking : `${say.checkFailed} ${messageOf(error)}`;
}

interface ScopeChoiceProps {
  readonly scope: Scope;
  readonly title: string;
  readonly onChange: (scope: Scope) => void;
}

function ScopeChoice({ scope, title, onChange }: ScopeChoiceProps) {
  const name = useId();
  const labels: Record<Scope, string> = { page: say.page(title), conversation: say.conversation };
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="sr-only">{say.scope}</legend>
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
      {steps.slice(0, MOST).map((step) => (
        <li key={step.id} className="[overflow-wrap:anywhere]">
          {inYourWords(step.summary)}{' '}
          <span className="text-xs text-ink-3">
            {changesStrings.dialog.laterBy(whoMade(step.origin), dayAndTime(step.createdAt))}
          </span>
        </li>
      ))}
      {steps.length > MOST && <li className="text-ink-3">{say.more(steps.length - MOST)}</li>}
    </ul>
  );
}
