import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { toast } from 'sonner';
import { IconButton } from '#components/ui/icon-button';
import { strings } from '#lib/strings';

/** How long the mark stays that says it was copied; ms. */
const COPIED_FOR = 2_000;

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
}

/** Puts a text into the clipboard and says so. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return undefined;
    const timer = setTimeout(() => setCopiedAt(null), COPIED_FOR);
    return () => clearTimeout(timer);
  }, [copiedAt]);

  const copy = async () => {
    try {
      // Not there at all on a page that came over plain HTTP.
      await navigator.clipboard.writeText(text);
      setCopiedAt(Date.now());
    } catch {
      toast.error(strings.messageActions.copyFailed);
    }
  };
  return (
    <>
      <IconButton
        label={label}
        className="size-6! text-ink-3 [&_svg]:size-3.5!"
        icon={copiedAt === null ? <Copy aria-hidden /> : <Check aria-hidden className="text-accent" />}
        onClick={() => void copy()}
      />
      <output aria-live="polite" className="sr-only">
        {copiedAt === null ? '' : strings.messageActions.copied}
      </output>
    </>
  );
}
