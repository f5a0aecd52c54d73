import { FileText, Paperclip } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { translator } from '#components/i18n.ts';
import type { FileBlock } from '#components/chat/parts/tool-call.ts';
import { FileDialog } from '#components/chat/transcript/file-dialog';
import { safeImage, useTrustedOrigins } from '#components/ui/safe-url.ts';

const tTranscript = translator('transcript');
const t = translator('attachment');

/** Greatest height of an image in a message; CSS pixels; equal to `max-h-56` below. A choice, not measured. */
const MAX_HEIGHT = 224;

/** An image or file of the conversation, which opens in a dialog; external pictures are named, not loaded. */
export function FilePart({ url, mediaType, filename, width, height }: FileBlock) {
  const name = filename ?? tTranscript('attachment');
  const trusted = useTrustedOrigins();
  if (mediaType.startsWith('image/') && (url.startsWith('data:image/') || safeImage(url, trusted) !== null)) {
    return (
      <Opener name={name} url={url} isImage className="block max-w-full rounded-lg">
        <img
          src={url}
          alt={name}
          {...shownSize(width, height)}
          className="h-auto max-h-56 max-w-full rounded-lg border border-rule bg-ink/4 transition-colors hover:border-ink-3"
        />
      </Opener>
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
    <Opener
      name={name}
      url={url}
      className="flex max-w-full items-center gap-2 rounded-lg border border-rule bg-sheet px-2.5 py-1.5 text-sm text-ink-2 transition-colors hover:border-ink-3 hover:text-ink"
    >
      <FileText aria-hidden className="size-4 shrink-0 stroke-[1.5] text-ink-3" />
      <span className="truncate">{name}</span>
    </Opener>
  );
}

/** The space of an image, reserved while it loads. */
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

/** The files of a message, next to each other as far as they fit. */
export function FileList({ files, label = t('label') }: FileListProps) {
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

interface OpenerProps {
  readonly name: string;
  readonly url: string;
  readonly isImage?: boolean;
  readonly className: string;
  readonly children: ReactNode;
}

/** Button that shows a file as large as the window allows. */
function Opener({ name, url, isImage = false, className, children }: OpenerProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label={t('view', { name })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(true)}
        className={className}
      >
        {children}
      </button>
      {isOpen && <FileDialog name={name} url={url} isImage={isImage} onClose={() => setIsOpen(false)} />}
    </>
  );
}
