'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { toast } from 'sonner';
import { translator } from '#components/i18n.ts';
import { IconButton } from '#components/ui/buttons';

const t = translator('shared');

/** Time the check mark stays after copying; ms. */
const COPIED_FOR = 2_000;

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
}

/** Copies a text to the clipboard and confirms it. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return undefined;
    const timer = setTimeout(() => setCopiedAt(null), COPIED_FOR);
    return () => clearTimeout(timer);
  }, [copiedAt]);

  const copy = async () => {
    try {
      // Undefined on a page served over plain HTTP.
      await navigator.clipboard.writeText(text);
      setCopiedAt(Date.now());
    } catch {
      toast.error(t('common.copyFailed'));
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
        {copiedAt === null ? '' : t('common.copied')}
      </output>
    </>
  );
}
