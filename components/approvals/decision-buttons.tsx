import { translator } from '#components/i18n.ts';
import { textField, type ToolCall } from '#components/chat/parts/tool-call.ts';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '#components/ui/buttons';
import { formFieldStyle } from '#components/ui/fields';
import { MAX_REASON_CHARS } from '#server/core/limits';

const t = translator('approval');
const tDecisions = translator('decisions');
const tDeletions = translator('deletions');

/** The tool that deletes content: its button is red. */
const DELETION = 'delete_content';

interface DecisionButtonsProps {
  readonly call: Pick<ToolCall, 'name' | 'input' | 'effect'>;
  readonly isDisabled: boolean;
  /** Names the call if the buttons alone do not. */
  readonly title?: string;
  /** `reason`: why it was refused, in the person's words. */
  readonly onDecide: (isApproved: boolean, reason?: string) => void;
  /** True if another person has to approve; the user can only withdraw the call. Default false. */
  readonly isElsewhere?: boolean;
}

/** The two decisions for a waiting call, below its effect; each takes one step. */
export function DecisionButtons({ call, isDisabled, title, onDecide, isElsewhere = false }: DecisionButtonsProps) {
  const { approve, refuse: no } = decisionWords(call);
  const refuse = isElsewhere ? t('withdraw') : no;
  const [reason, setReason] = useState<string | null>(null);
  const addReason = useRef<HTMLButtonElement>(null);
  const decideAgainst = () => {
    const words = reason?.trim() ?? '';
    onDecide(false, words === '' ? undefined : words);
  };
  const named = (words: string) => (title === undefined ? undefined : `${words}: ${title}`);
  return (
    <div className="mt-3 flex flex-wrap items-center justify-end gap-2">
      {reason !== null && (
        <label className="w-full text-sm">
          <span className="mb-1 block text-ink-2">{t('reason')}</span>
          <textarea
            // The person has just asked for it.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            value={reason}
            onChange={({ target }) => setReason(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape') return;
              flushSync(() => setReason(null));
              addReason.current?.focus();
            }}
            disabled={isDisabled}
            maxLength={MAX_REASON_CHARS}
            rows={2}
            className={formFieldStyle}
          />
        </label>
      )}
      {reason === null && !isElsewhere && (
        <Button
          ref={addReason}
          variant="ghost"
          disabled={isDisabled}
          aria-label={named(t('addReason'))}
          onClick={() => setReason('')}
          className="mr-auto"
        >
          {t('addReason')}
        </Button>
      )}
      <Button disabled={isDisabled} data-decision="refuse" aria-label={named(refuse)} onClick={decideAgainst}>
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

/** Button texts for a call. */
function decisionWords({ name, input, effect }: DecisionButtonsProps['call']) {
  const key = name === 'publish_content' ? publishKey(textField(input, 'at')) : name;
  const approve = tDecisions.find(`${key}.approve`) ?? tDecisions('other.approve');
  return {
    approve: (name === DELETION ? tDeletions.find(effect?.targets[0]?.type ?? '') : undefined) ?? approve,
    refuse: tDecisions.find(`${key}.refuse`) ?? tDecisions('other.refuse'),
  };
}

/** A publication at once, at a time, or the end of a planned one. */
function publishKey(at: string | undefined) {
  return at === undefined ? 'publish_content' : at === 'never' ? 'cancelSchedule' : 'plan';
}
