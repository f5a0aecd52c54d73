import { Download, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import useSWRImmutable from 'swr/immutable';
import { translator } from '#components/i18n.ts';
import { IconButton } from '#components/ui/buttons';
import { DialogLayer } from '#components/ui/dialogs/dialogs';
import { focusItself, useReturnFocus } from '#components/ui/focus/focus.ts';

const t = translator('attachment');
const tShared = translator('shared');

interface ShownFile {
  readonly name: string;
  readonly url: string;
  readonly isImage: boolean;
}

interface FileDialogProps extends ShownFile {
  readonly onClose: () => void;
}

/** Shows a file of a message as large as the window allows. */
export function FileDialog({ onClose, ...content }: FileDialogProps) {
  return (
    <DialogLayer onClose={onClose}>
      <Content {...content} />
    </DialogLayer>
  );
}

function Content({ name, url, isImage }: ShownFile) {
  const returnFocus = useReturnFocus();
  return (
    <Dialog.Content
      aria-describedby={undefined}
      onOpenAutoFocus={focusItself}
      onCloseAutoFocus={returnFocus}
      className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-max max-w-[min(60rem,calc(100vw-1.5rem))] min-w-[min(24rem,calc(100vw-1.5rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none"
    >
      <header className="flex items-center gap-1 border-b border-rule py-2 pr-2 pl-4">
        <Dialog.Title className="min-w-0 flex-1 truncate text-sm font-medium">{name}</Dialog.Title>
        <a
          href={url}
          download={name}
          aria-label={t('download')}
          title={t('download')}
          className="inline-flex size-8 items-center justify-center rounded-md text-ink-2 hover:bg-ink/6 hover:text-ink"
        >
          <Download aria-hidden className="size-[1.05rem] stroke-[1.75]" />
        </a>
        <Dialog.Close asChild>
          <IconButton label={tShared('common.close')} icon={<X aria-hidden />} />
        </Dialog.Close>
      </header>
      {isImage ? (
        <img src={url} alt={name} className="min-h-0 flex-1 rounded-b-xl bg-ink/4 object-contain" />
      ) : (
        <TextFile url={url} />
      )}
    </Dialog.Content>
  );
}

async function readText(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(String(response.status));
  return response.text();
}

function TextFile({ url }: { readonly url: string }) {
  const { data: text, error } = useSWRImmutable<string, unknown>(url, readText);
  if (text === undefined) {
    return (
      <output className="block px-4 py-6 text-sm text-ink-2">
        {error === undefined ? t('loading') : t('loadFailed')}
      </output>
    );
  }
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto px-4 py-3 font-mono text-xs leading-relaxed [overflow-wrap:anywhere] whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
