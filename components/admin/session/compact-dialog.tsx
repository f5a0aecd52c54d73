import { useId, useState } from 'react';
import { translator } from '#components/i18n.ts';
import type { CompactionOptions } from '#components/api/api-client.ts';
import type { StrategyName } from '#server/core/admin/strategy-names';
import clsx from 'clsx';
import { paths } from '#components/api/paths.ts';
import { FormDialog } from '#components/ui/dialogs/form-dialog';
import type { Near } from '#components/ui/focus/focus.ts';
import { modelStrategies, strategies } from '#components/ui/compaction-words.ts';
import { useApi } from '#components/api/use-api.ts';

const tStrategies = translator('strategies');

const t = translator('admin.compactDialog');
/** Longest instructions that the server accepts; characters. */
const MAX_INSTRUCTIONS_CHARS = 2000;

/** The strategy in the settings; null while unknown. */
function useConfiguredStrategy(): StrategyName | null {
  const { data } = useApi(paths.engineSettings);
  return strategies.find((name) => name === data?.values['strategy']) ?? null;
}

interface CompactDialogProps {
  readonly onStart: (options: CompactionOptions) => void;
  readonly onClose: () => void;
  /** Element that receives the focus after the start, because the button that opened the dialog is gone then. */
  readonly near: Near;
}

/** Dialog with the strategy of a compaction and the instructions for its summary; open while mounted. */
export function CompactDialog({ onStart, onClose, near }: CompactDialogProps) {
  const id = useId();
  const configured = useConfiguredStrategy();
  const [strategy, setStrategy] = useState<StrategyName | null>(null);
  const [instructions, setInstructions] = useState('');
  const effective = strategy ?? configured;
  /** True if the strategy writes a summary with a model, which can follow instructions. */
  const hasWriter = effective === null || modelStrategies.has(effective);
  const submit = () => {
    onClose();
    onStart({
      ...(strategy !== null && { strategy }),
      ...(hasWriter && instructions.trim() !== '' && { instructions: instructions.trim() }),
    });
  };
  return (
    <FormDialog
      title={t('title')}
      width="wide"
      save={t('start')}
      isBusy={false}
      onSubmit={submit}
      onClose={onClose}
      near={near}
    >
      <p className="text-sm text-ink-2">{t('body')}</p>
      <fieldset>
        <legend className="text-sm font-medium">{t('strategy')}</legend>
        <div className="mt-2 border-t border-rule">
          <Choice
            name={id}
            title={t('asSet')}
            does={configured === null ? '' : t('asSetDoes', { name: tStrategies(`${configured}.name`) })}
            isChosen={strategy === null}
            onChoose={() => setStrategy(null)}
          />
          {strategies.map((choice) => (
            <Choice
              key={choice}
              name={id}
              title={tStrategies(`${choice}.name`)}
              does={tStrategies(`${choice}.does`)}
              isChosen={strategy === choice}
              onChoose={() => setStrategy(choice)}
            />
          ))}
        </div>
      </fieldset>
      <div>
        <label htmlFor={`${id}-instructions`} className="block text-sm font-medium">
          {t('instructions')}
        </label>
        <p id={`${id}-hint`} className="text-sm text-ink-2">
          {hasWriter ? t('instructionsHint') : t('noWriter')}
        </p>
        <textarea
          id={`${id}-instructions`}
          aria-describedby={`${id}-hint`}
          rows={3}
          maxLength={MAX_INSTRUCTIONS_CHARS}
          disabled={!hasWriter}
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
          className="mt-2 block w-full resize-y rounded-md border border-rule-strong bg-paper px-3 py-2 text-base disabled:opacity-50"
        />
        <p className="mt-1 min-h-4.5 text-right text-xs text-ink-3 tabular-nums">
          {instructions.length > MAX_INSTRUCTIONS_CHARS - 200 &&
            t('left', { characters: MAX_INSTRUCTIONS_CHARS - instructions.length })}
        </p>
      </div>
    </FormDialog>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly title: string;
  readonly does: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function Choice({ name, title, does, isChosen, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <div className={clsx('relative flex gap-3 border-b border-rule px-1 py-2.5', isChosen && 'bg-accent-wash')}>
      <input
        id={id}
        type="radio"
        name={name}
        checked={isChosen}
        onChange={onChoose}
        aria-describedby={`${id}-does`}
        className="mt-1 ml-1 size-3.5 shrink-0 accent-(--accent)"
      />
      <div>
        <label htmlFor={id} className="text-sm font-medium after:absolute after:inset-0">
          {title}
        </label>
        <p id={`${id}-does`} className="text-sm text-ink-2">
          {does}
        </p>
      </div>
    </div>
  );
}
