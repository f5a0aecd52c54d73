import { useId, useState } from 'react';
import { toast } from 'sonner';
import { newestActive, recordName } from '#components/admin/session/compaction-records';
import type { SessionReport } from '#components/admin/session/use-session-report';
import { adminStrings } from '#components/admin/words';
import { api, type CompactionOptions } from '#components/api/api-client';
import { ApiError } from '#components/api/api-error';
import { Button } from '#components/ui/buttons';
import { useNow } from '#components/ui/hooks';
import { reportFailure } from '#components/ui/toasts';
import type { CompactionRecord, StrategyName } from '#server/core/compactions';
import clsx from 'clsx';
import { Dialog } from 'radix-ui';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { DialogLayer } from '#components/ui/dialogs';
import { useReturnFocus } from '#components/ui/focus';
import type { SettingsReport } from '#server/core/settings-report';
import { modelStrategies, strategyWords } from '#components/ui/strategy-words';

const say = adminStrings.actions;

interface SessionActionsProps {
  readonly id: string;
  readonly report: SessionReport;
}

/** Compact, prune, undo; while a summary is being made, how long it has taken and its end. */
export function SessionActions({ id, report }: SessionActionsProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [busy, setBusy] = useState<'compact' | 'other' | null>(null);
  const { data: context } = report.context;
  const newest = newestActive(report.history.data?.compactions ?? []);
  const isCompacting = busy === 'compact' || context?.currentlyCompacting === true;

  const attempt = async (kind: 'compact' | 'other', action: () => Promise<string>) => {
    setBusy(kind);
    try {
      toast(await action());
    } catch (error) {
      if (error instanceof ApiError && error.code === 'cancelled') tellCancelled();
      else reportFailure(error);
    } finally {
      setBusy(null);
      report.refresh();
    }
  };

  return (
    <fieldset aria-label={say.label} className="flex flex-wrap items-center gap-2">
      {isCompacting ? (
        <Compacting since={context?.compactingSince ?? null} onCancel={() => void cancel(id).then(report.refresh)} />
      ) : (
        <Button variant="primary" disabled={context === undefined} onClick={() => setIsAsking(true)}>
          {say.compact}
        </Button>
      )}
      <Button
        disabled={context === undefined || isCompacting || busy !== null}
        onClick={() => void attempt('other', () => prune(id))}
      >
        {say.prune}
      </Button>
      <Button
        disabled={newest === null || isCompacting || busy !== null}
        onClick={() => newest && void attempt('other', () => undo(id, newest))}
      >
        {newest ? say.undo(recordName(newest)) : say.undoNone}
      </Button>
      <CompactDialog
        open={isAsking}
        onOpenChange={setIsAsking}
        onStart={(options) => void attempt('compact', () => compact(id, options))}
      />
    </fieldset>
  );
}

async function compact(id: string, options: CompactionOptions): Promise<string> {
  const outcome = await api.compact(id, options);
  if (outcome.status === 'skipped') return say.nothing;
  if (outcome.status === 'failed') throw new Error(outcome.error ?? adminStrings.statuses.failed);
  return say.compacted(outcome.tokensBefore, outcome.tokensAfter);
}

async function prune(id: string): Promise<string> {
  const { outputsPruned, tokensSaved } = await api.prune(id);
  return outputsPruned === 0 ? say.nothingToPrune : say.pruned(outputsPruned, tokensSaved);
}

async function undo(id: string, record: CompactionRecord): Promise<string> {
  await api.undoCompaction(id, record.id);
  return say.undone(recordName(record));
}

/** Once, though whoever asked for the compaction and whoever ended it may be the same. */
function tellCancelled(): void {
  toast(say.cancelled, { id: 'compaction-cancelled' });
}

async function cancel(id: string): Promise<void> {
  try {
    if (await api.cancelCompaction(id)) tellCancelled();
    else toast(say.notCancelled);
  } catch (error) {
    reportFailure(error);
  }
}

interface CompactingProps {
  /** Epoch milliseconds; null: since now. */
  readonly since: number | null;
  readonly onCancel: () => void;
}

function Compacting({ since, onCancel }: CompactingProps) {
  const [mounted] = useState(() => Date.now());
  const now = useNow(1000);
  const seconds = Math.max(0, Math.floor(((now ?? mounted) - (since ?? mounted)) / 1000));
  return (
    <div className="flex h-8 items-center gap-3 rounded-md border border-rule-strong pl-3 text-sm">
      <output className="motion-safe:animate-breathe">{say.compacting}</output>
      <span aria-hidden className="text-ink-2 tabular-nums">
        {say.seconds(seconds)}
      </span>
      <Button variant="ghost" className="text-red" onClick={onCancel}>
        {say.cancel}
      </Button>
    </div>
  );
}

const dialogWords = adminStrings.compactDialog;
const strategyChoices = Object.keys(strategyWords) as StrategyName[];
/** Limit of the server; characters. */
const MOST_INSTRUCTIONS = 2000;

interface CompactDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onStart: (options: CompactionOptions) => void;
}

/** Dialog with the strategy of a compaction and the instructions for its summary. */
function CompactDialog({ open, onOpenChange, onStart }: CompactDialogProps) {
  return (
    <DialogLayer open={open} onClose={() => onOpenChange(false)}>
      <Content
        onStart={(options) => {
          onOpenChange(false);
          onStart(options);
        }}
      />
    </DialogLayer>
  );
}

function Content({ onStart }: Pick<CompactDialogProps, 'onStart'>) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Content
      onCloseAutoFocus={returnFocus}
      className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[min(36rem,calc(100vw-2rem))] -translate-1/2 flex-col overflow-y-auto rounded-xl border border-rule bg-sheet p-6 shadow-sheet"
    >
      <Dialog.Title className="font-serif text-xl font-medium">{dialogWords.title}</Dialog.Title>
      <Dialog.Description className="mt-1 text-sm text-ink-2">{dialogWords.body}</Dialog.Description>
      <Form onStart={onStart} />
    </Dialog.Content>
  );
}

/** The strategy that the settings name; null while nobody knows. */
function useStrategyInForce(): StrategyName | null {
  const { data } = useSWR<SettingsReport>(paths.engineSettings);
  return strategyChoices.find((name) => name === data?.values['strategy']) ?? null;
}

function Form({ onStart }: Pick<CompactDialogProps, 'onStart'>) {
  const id = useId();
  const inForce = useStrategyInForce();
  const [strategy, setStrategy] = useState<StrategyName | null>(null);
  const [instructions, setInstructions] = useState('');
  const effective = strategy ?? inForce;
  const hasWriter = effective === null || modelStrategies.has(effective);
  const submit = () =>
    onStart({
      ...(strategy !== null && { strategy }),
      ...(hasWriter && instructions.trim() !== '' && { instructions: instructions.trim() }),
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <fieldset className="mt-5">
        <legend className="text-sm font-medium">{dialogWords.strategy}</legend>
        <div className="mt-2 border-t border-rule">
          <Choice
            name={id}
            title={dialogWords.asSet}
            does={inForce === null ? '' : dialogWords.asSetDoes(strategyWords[inForce].name)}
            isChosen={strategy === null}
            onChoose={() => setStrategy(null)}
          />
          {strategyChoices.map((choice) => (
            <Choice
              key={choice}
              name={id}
              title={strategyWords[choice].name}
              does={strategyWords[choice].does}
              isChosen={strategy === choice}
              onChoose={() => setStrategy(choice)}
            />
          ))}
        </div>
      </fieldset>
      <label htmlFor={`${id}-instructions`} className="mt-5 block text-sm font-medium">
        {dialogWords.instructions}
      </label>
      <p id={`${id}-hint`} className="text-sm text-ink-2">
        {hasWriter ? dialogWords.instructionsHint : dialogWords.noWriter}
      </p>
      <textarea
        id={`${id}-instructions`}
        aria-describedby={`${id}-hint`}
        rows={3}
        maxLength={MOST_INSTRUCTIONS}
        disabled={!hasWriter}
        value={instructions}
        onChange={(event) => setInstructions(event.target.value)}
        className="mt-2 block w-full resize-y rounded-md border border-rule-strong bg-paper px-3 py-2 text-base disabled:opacity-50"
      />
      <p className="mt-1 min-h-4.5 text-right text-xs text-ink-3 tabular-nums">
        {instructions.length > MOST_INSTRUCTIONS - 200 && dialogWords.left(MOST_INSTRUCTIONS - instructions.length)}
      </p>
      <div className="mt-3 flex justify-end gap-2">
        <Dialog.Close asChild>
          <Button variant="ghost">{dialogWords.cancel}</Button>
        </Dialog.Close>
        <Button type="submit" variant="primary">
          {dialogWords.start}
        </Button>
      </div>
    </form>
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
