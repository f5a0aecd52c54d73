import { type ReactNode, useState } from 'react';
import { messageOf } from '#components/api/api-error';
import { DialogLayer, FormDialog } from '#components/ui/dialogs';
import { Dialog } from 'radix-ui';
import { Button, CopyButton } from '#components/ui/buttons';
import { useReturnFocus } from '#components/ui/focus';

/** The state of a form that is sent once at a time. */
export interface Submit {
  readonly isBusy: boolean;
  /** Reason of the refusal; null: none. */
  readonly problem: string | null;
  /** Resolves to true when it is done. Never rejects. */
  readonly run: (action: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

/** @param reason what an error tells a person */
export function useSubmit(reason: (error: unknown) => string = messageOf): Submit {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  return {
    isBusy,
    problem,
    clear: () => setProblem(null),
    run: async (action) => {
      setIsBusy(true);
      setProblem(null);
      try {
        await action();
        return true;
      } catch (error) {
        setProblem(reason(error));
        return false;
      } finally {
        setIsBusy(false);
      }
    },
  };
}

/** A refusal from the server as it fits behind a field: `At most 40 characters.` */
export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** Reason why a form was refused; renders nothing for null. */
export function Problem({ text, className = '' }: { readonly text: string | null; readonly className?: string }) {
  if (text === null) return null;
  return (
    <p role="alert" className={`text-sm text-red ${className}`}>
      {text}
    </p>
  );
}

interface SubmitDialogProps {
  readonly title: string;
  /** Default `narrow`. */
  readonly width?: 'narrow' | 'wide';
  /** Label of the button, and while the form is being sent. */
  readonly save: string;
  readonly saving: string;
  readonly submit: Submit;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly outcome?: ReactNode;
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}

/** A form in a dialog of its own, which stays open until the server has taken it. */
export function SubmitDialog({ width = 'narrow', save, saving, submit, outcome, ...dialog }: SubmitDialogProps) {
  return (
    <FormDialog
      {...dialog}
      width={width}
      save={submit.isBusy ? saving : save}
      isBusy={submit.isBusy}
      outcome={
        <div className="max-h-40 shrink-0 overflow-y-auto px-5 *:last:mb-3">
          {outcome}
          <Problem text={submit.problem} className="mt-3" />
        </div>
      }
    />
  );
}

interface HandedDialogProps {
  readonly title: string;
  readonly body: string;
  /** Problem met on the way here. Default: none. */
  readonly problem?: string | null;
  /** Name of the value. */
  readonly label: string;
  readonly value: string;
  /** Labels of the buttons. */
  readonly copy: string;
  readonly done: string;
  readonly onClose: () => void;
}

/** A secret that is shown this one time, to be copied. It ends with a word, not with a click beside it: there is no second look. */
export function HandedDialog({ onClose, ...content }: HandedDialogProps) {
  return (
    <DialogLayer onClose={onClose}>
      <Content {...content} />
    </DialogLayer>
  );
}

function Content({ title, body, problem = null, label, value, copy, done }: Omit<HandedDialogProps, 'onClose'>) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Content
      onCloseAutoFocus={returnFocus}
      onInteractOutside={(event) => event.preventDefault()}
      className="fixed top-1/2 left-1/2 z-50 w-[min(28rem,calc(100vw-1.5rem))] -translate-1/2 rounded-xl border border-rule bg-sheet p-6 shadow-sheet outline-none"
    >
      <Dialog.Title className="font-serif text-xl font-medium">{title}</Dialog.Title>
      <Problem text={problem} className="mt-2" />
      <Dialog.Description className="mt-2 text-base text-ink-2">{body}</Dialog.Description>
      <div className="mt-4 flex items-center gap-2 rounded-md border border-rule-strong bg-paper px-3 py-2">
        <input
          readOnly
          aria-label={label}
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          className="min-w-0 flex-1 bg-transparent font-mono text-xs outline-none"
        />
        <CopyButton text={value} label={copy} />
      </div>
      <div className="mt-6 flex justify-end">
        <Dialog.Close asChild>
          <Button variant="primary">{done}</Button>
        </Dialog.Close>
      </div>
    </Dialog.Content>
  );
}
