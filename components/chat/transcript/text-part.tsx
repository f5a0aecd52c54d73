import { type ComponentType, memo, Suspense } from 'react';
import { lazyAgain } from '#components/ui/fetched-later';

interface TextPartProps {
  readonly text: string;
  readonly isOpen: boolean;
}

const load = () => import('#components/chat/transcript/markdown');

function Plain({ text }: TextPartProps) {
  return <div className="manuscript whitespace-pre-wrap">{text}</div>;
}

/* The markdown machinery is the heaviest part of the page; until it is there the text itself is shown. */
let Markdown: ComponentType<TextPartProps> = lazyAgain(load, Plain, (next) => (Markdown = next));

/** Loads the markdown machinery ahead of the first text. What is drawn then has its final height at once. */
export async function loadMarkdown(): Promise<void> {
  Markdown = (await load()).default;
}

/** A passage of an answer. Parsed again only when its text changes. */
export const TextPart = memo(function TextPart({ text, isOpen }: TextPartProps) {
  return (
    <Suspense fallback={<Plain text={text} isOpen={isOpen} />}>
      <Markdown text={text} isOpen={isOpen} />
    </Suspense>
  );
});
