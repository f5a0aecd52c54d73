import { Link2, TriangleAlert } from 'lucide-react';
import { More } from '#components/calls/value-view';
import { approvalStrings, decisions, deletions, toolStrings } from '#components/calls/words';
import { FieldChanges } from '#components/changes/field-changes';
import { textField, type ToolCall } from '#components/chat/session/tool-call';
import { inYourWords } from '#components/served-words';
import { Button } from '#components/ui/buttons';
import { useFirst } from '#components/ui/hooks';
import { wordOf } from '#components/in-your-language';
import type { Reference } from '#server/core/content';
import type { FieldChange } from '#server/core/changes';
import type { ToolEffect } from '#server/core/tool-effect';

/** The tool with which something is lost: its button is red. */
const DELETION = 'delete_content';

/** Shown before the user asks for the others. */
const FIRST = 4;

/** Effect of a call, for the person who decides on it. */
export function ApprovalEffect({ effect }: { readonly effect: ToolEffect }) {
  const { summary, warnings, references, changes } = effect;
  return (
    <div className="mt-1 flex flex-col gap-2 text-sm text-ink-2">
      <p className="[overflow-wrap:anywhere]">{inYourWords(summary)}</p>
      {warnings.length > 0 && (
        <ul className="flex flex-col gap-1">
          {warnings.map((warning, index) => (
            <li key={index} className="flex gap-1.5 text-ink">
              <TriangleAlert aria-hidden className="mt-1 size-3.5 shrink-0 text-amber" />
              <span className="min-w-0 [overflow-wrap:anywhere]">{inYourWords(warning)}</span>
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
        {approvalStrings.references(references.length)}
      </h3>
      <ul className="mt-1 ml-1.5 flex flex-col gap-0.5 border-l border-rule-strong pl-3">
        {shown.map(({ kind, from, text, isPublished }, index) => (
          <li key={index} className="[overflow-wrap:anywhere]">
            <span className="text-ink">
              {kind === 'navigation' ? `${inYourWords(from.title)} › ${text}` : from.title}
            </span>{' '}
            {approvalStrings.referenceKinds[kind]}
            {!isPublished && ` (${approvalStrings.draftOnly})`}
          </li>
        ))}
      </ul>
      {hidden > 0 && <More text={toolStrings.moreItems(hidden)} onClick={showAll} />}
    </div>
  );
}

function Changes({ changes }: { readonly changes: readonly FieldChange[] }) {
  const { shown, hidden, showAll } = useFirst(changes, FIRST);
  return (
    <div className="rounded-md border border-rule bg-paper px-2.5 py-2">
      <h3 className="sr-only">{approvalStrings.changes}</h3>
      <FieldChanges fields={shown} />
      {hidden > 0 && <More text={toolStrings.moreItems(hidden)} onClick={showAll} />}
    </div>
  );
}

interface DecisionProps {
  readonly call: Pick<ToolCall, 'name' | 'input' | 'effect'>;
  readonly isDisabled: boolean;
  /** The call that is decided on, where the buttons alone do not say it. */
  readonly title?: string;
  readonly onDecide: (isApproved: boolean) => void;
  /** Somebody else has to agree; the call can only be taken back. Default false. */
  readonly isElsewhere?: boolean;
}

/** The two answers to a call that waits, below what it would do; each takes one step. */
export function Decision({ call, isDisabled, title, onDecide, isElsewhere = false }: DecisionProps) {
  const { approve, refuse: no } = decisionWords(call);
  const refuse = isElsewhere ? approvalStrings.withdraw : no;
  const named = (words: string) => (title === undefined ? undefined : `${words}: ${title}`);
  return (
    <div className="mt-3 flex flex-wrap justify-end gap-2">
      <Button disabled={isDisabled} data-decision="refuse" aria-label={named(refuse)} onClick={() => onDecide(false)}>
        {refuse}
      </Button>
      {!isElsewhere && (
        <Button
          variant={call.name === DELETION ? 'danger' : 'primary'}
          disabled={isDisabled}
          data-decision="approve"
          aria-label={named(approve)}
          onClick={() => onDecide(true)}
        >
          {approve}
        </Button>
      )}
    </div>
  );
}

/** Words on the buttons of a call. */
function decisionWords({ name, input, effect }: DecisionProps['call']) {
  const words = wordOf(decisions, name) ?? decisions.other;
  if (name === DELETION)
    return { ...words, approve: wordOf(deletions, effect?.targets[0]?.type ?? '') ?? words.approve };
  if (name !== 'publish_content') return words;
  const at = textField(input, 'at');
  return at === undefined ? words : at === 'never' ? decisions.cancelPlan : decisions.plan;
}
