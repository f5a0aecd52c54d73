import { FileText, Paperclip } from 'lucide-react';
import { FileDialog } from '#components/chat/parts/file-dialog';
import { useTrustedOrigins } from '#components/ui/allowed-origins';
import type { FileBlock } from '#lib/chat/message-blocks';
import { safeImage } from '#lib/ui/safe-url';
import { strings } from '#lib/strings';

/** Of an image in a message; CSS pixels. */
const MAX_HEIGHT = 224;

/** An image or file of the conversation, which opens larger; pictures from elsewhere are named, not loaded. */
export function FilePart({ url, mediaType, filename, width, height }: FileBlock) {
  const name = filename ?? strings.transcript.attachment;
  const trusted = useTrustedOrigins();
  if (mediaType.startsWith('image/') && (url.startsWith('data:image/') || safeImage(url, trusted) !== null)) {
    return (
      <FileDialog name={name} url={url} isImage>
        <button type="button" aria-label={strings.attachments.view(name)} className="block max-w-full rounded-lg">
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
        aria-label={strings.attachments.view(name)}
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
