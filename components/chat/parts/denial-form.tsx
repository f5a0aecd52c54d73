import { Button } from '#components/ui/button';
import { isComposing } from '#lib/ui/is-composing';
import { strings } from '#lib/strings';

interface DenialFormProps {
  readonly isDisabled: boolean;
  readonly onBack: () => void;
  readonly onDeny: (reason: string) => void;
}

/** The same function each time: another one would take the focus again whenever this is drawn. */
function focusField(field: HTMLInputElement | null): void {
  field?.focus();
}

/** The user asked to deny a moment ago: here they may say why. */
export function DenialForm({ isDisabled, onBack, onDeny }: DenialFormProps) {
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
