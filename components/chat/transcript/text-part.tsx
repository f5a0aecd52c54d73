import { type ComponentType, lazy, memo, Suspense } from 'react';

const load = () => import('#components/chat/transcript/markdown');

function Plain({ text }: TextPartProps) {
  return <div className="manuscript whitespace-pre-wrap">{text}</div>;
}

/** A `lazy` that has failed stays failed, so the next passage gets a new one; this one shows its text as it is. */
const attempt = (): ComponentType<TextPartProps> =>
  lazy(async (): Promise<{ default: ComponentType<TextPartProps> }> => {
    try {
      return await load();
    } catch {
      Markdown = attempt();
      return { default: Plain };
    }
  });

/* The markdown machinery is the heaviest part of the page; until it is there the text itself is shown. */
let Markdown: ComponentType<TextPartProps> = attempt();

/** Loads the markdown machinery ahead of the first text. What is drawn then has its final height at once. */
export async function loadMarkdown(): Promise<void> {
  Markdown = (await load()).default;
}

interface TextPartProps {
  readonly text: string;
  readonly isOpen: boolean;
}

/** A passage of an answer. Parsed again only when its text changes. */
export const TextPart = memo(function TextPart({ text, isOpen }: TextPartProps) {
  return (
    <Suspense fallback={<Plain text={text} isOpen={isOpen} />}>
      <Markdown text={text} isOpen={isOpen} />
    </Suspense>
  );
});
