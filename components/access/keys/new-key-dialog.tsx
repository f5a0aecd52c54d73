import { Dialog } from 'radix-ui';
import { Button } from '#components/ui/button';
import { CopyButton } from '#components/ui/copy-button';
import { keyStrings } from '#lib/strings/keys';
import { useReturnFocus } from '#lib/focus/use-return-focus';

const text = keyStrings.shown;

/** A key that was just made. It ends with a word, not with a click beside it: there is no second look. */
export function NewKeyDialog({ value, onClose }: { readonly value: string; readonly onClose: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/35" />
        <Content value={value} />
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Content({ value }: { readonly value: string }) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Content
      onCloseAutoFocus={returnFocus}
      onInteractOutside={(event) => event.preventDefault()}
      className="fixed top-1/2 left-1/2 z-50 w-[min(28rem,calc(100vw-1.5rem))] -translate-1/2 rounded-xl border border-rule bg-sheet p-6 shadow-sheet outline-none"
    >
      <Dialog.Title className="font-serif text-xl font-medium">{text.title}</Dialog.Title>
      <Dialog.Description className="mt-2 text-base text-ink-2">{text.body}</Dialog.Description>
      <div className="mt-4 flex items-center gap-2 rounded-md border border-rule-strong bg-paper px-3 py-2">
        <input
          readOnly
          aria-label={text.key}
          value={value}
          onFocus={(event) => event.currentTarget.select()}
          className="min-w-0 flex-1 bg-transparent font-mono text-xs outline-none"
        />
        <CopyButton text={value} label={text.copy} />
      </div>
      <div className="mt-6 flex justify-end">
        <Dialog.Close asChild>
          <Button variant="primary">{text.done}</Button>
        </Dialog.Close>
      </div>
    </Dialog.Content>
  );
}
