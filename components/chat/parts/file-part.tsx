import { Paperclip } from 'lucide-react';
import { safeImage } from '#lib/safe-url';
import { strings } from '#lib/strings';

interface FilePartProps {
  readonly url: string;
  readonly mediaType: string;
  readonly filename: string | undefined;
}

/** An image or file of the conversation; pictures from elsewhere are named, not loaded. */
export function FilePart({ url, mediaType, filename }: FilePartProps) {
  const name = filename ?? strings.transcript.attachment;
  const isOwnImage = mediaType.startsWith('image/') && (url.startsWith('data:image/') || safeImage(url, '') !== null);
  if (isOwnImage) return <img src={url} alt={name} className="max-h-64 rounded-md border border-rule" />;
  return (
    <span className="inline-flex items-center gap-1.5 rounded-md border border-rule px-2 py-1 text-sm text-ink-2">
      <Paperclip aria-hidden className="size-3.5" />
      {name}
    </span>
  );
}
