import { type ReactNode, useState } from 'react';
import { messageOf } from '#components/api/api-error.ts';
import { FormDialog } from '#components/ui/dialogs/form-dialog';

/** State of a form whose submissions run one at a time. */
export interface Submit {
  readonly isBusy: boolean;
  /** Reason of the refusal; null: none. */
  readonly problem: string | null;
  /** Resolves to true on success. Never rejects. */
  readonly run: (action: () => Promise<unknown>) => Promise<boolean>;
  /** Removes the problem. */
  readonly clear: () => void;
}

/**
 * State of a form that sends a request.
 * @param reason converts an error to a message for the user
 */
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

/** A server's refusal as a sentence, for display after a field: `At most 40 characters.` */
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
  /** Label of the button, normally and during submission. */
  readonly save: string;
  readonly saving: string;
  readonly submit: Submit;
  /** True if closing the dialog would lose something other than the value of a field, such as a choice by a button. */
  readonly isChanged?: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly outcome?: ReactNode;
  readonly extra?: ReactNode;
  readonly children: ReactNode;
}

/** A form in a dialog that stays open until the server has accepted it. */
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
