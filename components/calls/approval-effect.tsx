import { Link2, TriangleAlert } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { More } from '#components/calls/value-view';
import { Button } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { isComposing, useFirst } from '#components/ui/hooks';
import { strings } from '#components/words';
import type { FieldChange, Reference } from '#server/core/content';
import type { ToolEffect } from '#server/core/tool-effect';

const FieldChanges = fetchedLater(async () => (await import('#components/changes/field-changes')).FieldChanges);

/** Shown before the user asks for the others. */
const FIRST = 4;

/** Effect of a call, for the person who decides on it. */
export function ApprovalEffect({ effect }: { readonly effect: ToolEffect }) {
  const { summary, warnings, references, changes } = effect;
  return (
    <div className="mt-1 flex flex-col gap-2 text-sm text-ink-2">
      <p className="[overflow-wrap:anywhere]">{summary}</p>
      {warnings.length > 0 && (
        <ul className="flex flex-col gap-1">
          {warnings.map((warning, index) => (
            <li key={index} className="flex gap-1.5 text-ink">
              <TriangleAlert aria-hidden className="mt-1 size-3.5 shrink-0 text-amber" />
              <span className="min-w-0 [overflow-wrap:anywhere]">{warning}</span>
            </li>
          ))}
        </ul>
      )}
      {references.length > 0 && <References references={references} />}
      {changes.length > 0 && <Changes changes={changes} />}
    </div>
  );
}

function References({ references }: { readonly references: readonly Reference[] }) {
  const { shown, hidden, showAll } = useFirst(references, FIRST);
  return (
    <div>
      <h3 className="flex items-center gap-1.5 font-medium text-ink">
        <Link2 aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        {strings.approval.references(references.length)}
      </h3>
      <ul className="mt-1 ml-1.5 flex flex-col gap-0.5 border-l border-rule-strong pl-3">
        {shown.map(({ kind, from, text, isPublished }, index) => (
          <li key={index} className="[overflow-wrap:anywhere]">
            <span className="text-ink">{kind === 'navigation' ? `${from.title} › ${text}` : from.title}</span>{' '}
            {strings.approval.referenceKinds[kind]}
            {!isPublished && ` (${strings.approval.draftOnly})`}
          </li>
        ))}
      </ul>
      {hidden > 0 && <More text={strings.tool.moreItems(hidden)} onClick={showAll} />}
    </div>
  );
}

function Changes({ changes }: { readonly changes: readonly FieldChange[] }) {
  const { shown, hidden, showAll } = useFirst(changes, FIRST);
  return (
    <div className="rounded-md border border-rule bg-paper px-2.5 py-2">
      <h3 className="sr-only">{strings.approval.changes}</h3>
      <FieldChanges fields={shown} />
      {hidden > 0 && <More text={strings.tool.moreItems(hidden)} onClick={showAll} />}
    </div>
  );
}

interface DenialFormProps {
  readonly isDisabled: boolean;
  readonly onBack: () => void;
  readonly onDeny: (reason: string) => void;
}

interface DecisionOptions {
  readonly isDisabled: boolean;
  /** Accessible names of the buttons. Default: their labels. */
  readonly names?: { readonly deny: string; readonly approve: string };
  readonly onDecide: (decision: { readonly approved: boolean; readonly reason?: string }) => void;
}

/** The buttons that decide on a call, and the form for the reason of a denial, which takes their place. */
export function useDecision({ isDisabled, names, onDecide }: DecisionOptions) {
  const [isDenying, setIsDenying] = useState(false);
  const denyButton = useRef<HTMLButtonElement>(null);
  const buttons = (
    <span className="ml-auto flex gap-2">
      <Button ref={denyButton} disabled={isDisabled} aria-label={names?.deny} onClick={() => setIsDenying(true)}>
        {strings.approval.deny}
      </Button>
      <Button
        variant="primary"
        disabled={isDisabled}
        aria-label={names?.approve}
        onClick={() => onDecide({ approved: true })}
      >
        {strings.approval.approve}
      </Button>
    </span>
  );
  const form = (
    <DenialForm
      isDisabled={isDisabled}
      onBack={() => {
        flushSync(() => setIsDenying(false));
        denyButton.current?.focus();
      }}
      onDeny={(reason) => onDecide({ approved: false, ...(reason !== '' && { reason }) })}
    />
  );
  return { buttons: !isDenying && buttons, form: isDenying && form };
}

/** Kept as one function: a new one would take the focus again at every redraw. */
function focusField(field: HTMLInputElement | null): void {
  field?.focus();
}

/** The user asked to deny a moment ago: here they may say why. */
function DenialForm({ isDisabled, onBack, onDeny }: DenialFormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const reason = new FormData(event.currentTarget).get('reason');
        onDeny(typeof reason === 'string' ? reason.trim() : '');
      }}
      className="mt-2 flex flex-wrap gap-2"
    >
      <input
        ref={focusField}
        name="reason"
        maxLength={500}
        aria-label={strings.approval.reason}
        placeholder={strings.approval.reason}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && !isComposing(event)) onBack();
        }}
        className="h-8 min-w-0 flex-1 basis-48 rounded-md border border-rule-strong bg-paper px-2 text-sm max-sm:basis-full outline-none placeholder:text-ink-3 focus:border-accent"
      />
      <Button variant="ghost" className="ml-auto" onClick={onBack}>
        {strings.approval.back}
      </Button>
      <Button type="submit" variant="danger" disabled={isDisabled}>
        {strings.approval.deny}
      </Button>
    </form>
  );
}
