import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { IconButton } from '#components/ui/icon-button';
import { strings } from '#lib/strings';

/** What a dialog is called, and the button that closes it. A name that is too long is cut. */
export function DialogHeader({ title, isName = false }: { readonly title: string; readonly isName?: boolean }) {
  return (
    <header className="flex shrink-0 items-center justify-between gap-3 border-b border-rule py-3 pr-3 pl-5">
      <Dialog.Title className={`font-serif text-xl font-medium ${isName ? 'min-w-0 truncate' : ''}`}>
        {title}
      </Dialog.Title>
      <Dialog.Close asChild>
        <IconButton label={strings.common.close} icon={<X aria-hidden />} />
      </Dialog.Close>
    </header>
  );
}
