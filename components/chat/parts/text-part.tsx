import { lazy, memo, Suspense } from 'react';

/* The markdown machinery is the heaviest part of the page; until it is there the text itself is shown. */
const Markdown = lazy(() => import('#components/chat/parts/markdown'));

interface TextPartProps {
  readonly text: string;
  readonly isOpen: boolean;
}

/** A passage of an answer. Parsed again only when its text changes. */
export const TextPart = memo(function TextPart({ text, isOpen }: TextPartProps) {
  return (
    <Suspense fallback={<div className="manuscript whitespace-pre-wrap">{text}</div>}>
      <Markdown text={text} isOpen={isOpen} />
    </Suspense>
  );
});
