import { Download, FileText, Paperclip, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import useSWRImmutable from 'swr/immutable';
import type { FileBlock } from '#components/chat/session/tool-call';
import { IconButton } from '#components/ui/buttons';
import { focusItself } from '#components/ui/focus';
import { safeImage, useTrustedOrigins } from '#components/ui/safe-url';
import { strings } from '#components/words';
import { attachmentStrings, transcriptStrings } from '#components/chat/session/words';

/** Greatest height of an image in a message; CSS pixels. */
const MAX_HEIGHT = 224;

/** An image or file of the conversation, which opens larger; pictures from elsewhere are named, not loaded. */
export function FilePart({ url, mediaType, filename, width, height }: FileBlock) {
  const name = filename ?? transcriptStrings.attachment;
  const trusted = useTrustedOrigins();
  if (mediaType.startsWith('image/') && (url.startsWith('data:image/') || safeImage(url, trusted) !== null)) {
    return (
      <FileDialog name={name} url={url} isImage>
        <button type="button" aria-label={attachmentStrings.view(name)} className="block max-w-full rounded-lg">
          <img
            src={url}
            alt={name}
            {...shownSize(width, height)}
            className="h-auto max-h-56 max-w-full rounded-lg border border-rule bg-ink/4 transition-colors hover:border-ink-3"
          />
        </button>
      </FileDialog>
    );
  }
  if (!url.startsWith('/api/attachments/')) {
    return (
      <span className="inline-flex items-center gap-1.5 rounded-md border border-rule px-2 py-1 text-sm text-ink-2">
        <Paperclip aria-hidden className="size-3.5" />
        {name}
      </span>
    );
  }
  return (
    <FileDialog name={name} url={url}>
      <button
        type="button"
        aria-label={attachmentStrings.view(name)}
        className="flex max-w-full items-center gap-2 rounded-lg border border-rule bg-sheet px-2.5 py-1.5 text-sm text-ink-2 transition-colors hover:border-ink-3 hover:text-ink"
      >
        <FileText aria-hidden className="size-4 shrink-0 stroke-[1.5] text-ink-3" />
        <span className="truncate">{name}</span>
      </button>
    </FileDialog>
  );
}

/** The place that an image will take, kept while it loads. */
function shownSize(width: number | undefined, height: number | undefined) {
  if (width === undefined || height === undefined) return {};
  const scale = Math.min(1, MAX_HEIGHT / height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

interface FileListProps {
  readonly files: readonly FileBlock[];
  /** Label of the list. Default: attached files. */
  readonly label?: string;
}

/** The files of a message, beside one another as far as there is room. */
export function FileList({ files, label = attachmentStrings.label }: FileListProps) {
  if (files.length === 0) return null;
  return (
    <ul aria-label={label} className="flex flex-wrap items-end gap-2 pl-4.5">
      {files.map((file, index) => (
        <li key={`${file.url} ${String(index)}`} className="max-w-full min-w-0">
          <FilePart {...file} />
        </li>
      ))}
    </ul>
  );
}

interface FileDialogProps {
  readonly name: string;
  readonly url: string;
  readonly isImage?: boolean;
  /** Opens it. */
  readonly children: ReactNode;
}

/** A file of a message, as large as there is room. */
function FileDialog({ name, url, isImage = false, children }: FileDialogProps) {
  return (
    <Dialog.Root>
      <Dialog.Trigger asChild>{children}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-50 bg-black/35" />
        <Dialog.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusItself}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-max max-w-[min(60rem,calc(100vw-1.5rem))] min-w-[min(24rem,calc(100vw-1.5rem))] -translate-1/2 flex-col rounded-xl border border-rule bg-sheet shadow-sheet outline-none"
        >
          <header className="flex items-center gap-1 border-b border-rule py-2 pr-2 pl-4">
            <Dialog.Title className="min-w-0 flex-1 truncate text-sm font-medium">{name}</Dialog.Title>
            <a
              href={url}
              download={name}
              aria-label={attachmentStrings.download}
              title={attachmentStrings.download}
              className="inline-flex size-8 items-center justify-center rounded-md text-ink-2 hover:bg-ink/6 hover:text-ink"
            >
              <Download aria-hidden className="size-[1.05rem] stroke-[1.75]" />
            </a>
            <Dialog.Close asChild>
              <IconButton label={strings.common.close} icon={<X aria-hidden />} />
            </Dialog.Close>
          </header>
          {isImage ? (
            <img src={url} alt={name} className="min-h-0 flex-1 rounded-b-xl bg-ink/4 object-contain" />
          ) : (
            <TextFile url={url} />
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
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
        {error === undefined ? attachmentStrings.loading : attachmentStrings.loadFailed}
      </output>
    );
  }
  return (
    // Scrolled by keyboard, too.
    <pre
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto px-4 py-3 font-mono text-xs leading-relaxed [overflow-wrap:anywhere] whitespace-pre-wrap"
    >
      {text}
    </pre>
  );
}
