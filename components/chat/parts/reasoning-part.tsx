import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import { strings } from '#lib/strings';

/** What the model thought before it answered, folded away. */
export const ReasoningPart = memo(function ReasoningPart({ text }: { readonly text: string }) {
  return (
    <details className="group/reasoning font-sans text-sm text-ink-2">
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1 rounded text-ink-3 hover:text-ink-2">
        <ChevronRight aria-hidden className="size-3.5 transition-transform group-open/reasoning:rotate-90" />
        {strings.transcript.reasoning}
      </summary>
      <p className="mt-1 border-l border-rule-strong pl-3 whitespace-pre-wrap">{text}</p>
    </details>
  );
});
