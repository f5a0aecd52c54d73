'use client';

import { ScrollBox } from '#components/admin/scroll-box';
import { CopyButton } from '#components/ui/copy-button';

interface CodeBlockProps {
  readonly label: string;
  readonly text: string;
  /** What its button says; without it there is none. */
  readonly copyLabel?: string;
}

/** Code as it is, to scroll and to copy. */
export function CodeBlock({ label, text, copyLabel }: CodeBlockProps) {
  return (
    <div className="relative">
      <ScrollBox label={label} className="max-h-96 rounded-md border border-rule bg-sheet">
        <pre className="w-fit p-3 pr-11 font-mono text-xs leading-5">{text}</pre>
      </ScrollBox>
      {copyLabel !== undefined && (
        <div className="absolute top-2 right-2 rounded-md bg-sheet">
          <CopyButton text={text} label={copyLabel} />
        </div>
      )}
    </div>
  );
}
