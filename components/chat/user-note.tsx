import clsx from 'clsx';
import { useState } from 'react';
import { FileList } from '#components/chat/parts/file-list';
import type { UserWords } from '#lib/chat/message-blocks';
import { strings } from '#lib/strings';

/** What the user wrote: a note in the margin, marked by the blue pencil. Several in one unfold into what they were. */
export function UserNote({ text, originals, files }: UserWords) {
  const [isUnfolded, setIsUnfolded] = useState(false);
  return (
    <>
      <div className={clsx('border-l-2 border-accent pl-4', text === '' && 'sr-only')}>
        <span className="sr-only">{strings.transcript.you}: </span>
        {isUnfolded && originals ? <Originals texts={originals} /> : <Words text={text} />}
        {originals && (
          <button
            type="button"
            aria-expanded={isUnfolded}
            onClick={() => setIsUnfolded(!isUnfolded)}
            className="mt-1 rounded text-xs text-ink-3 hover:text-ink"
          >
            {isUnfolded ? strings.transcript.asSent : strings.transcript.sentTogether(originals.length)}
          </button>
        )}
      </div>
      <FileList files={files} />
    </>
  );
}

function Originals({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ol className="divide-y divide-rule">
      {texts.map((text, index) => (
        <li key={index} className="py-1.5 first:pt-0 last:pb-0">
          <Words text={text} />
        </li>
      ))}
    </ol>
  );
}

function Words({ text }: { readonly text: string }) {
  return <p className="text-base leading-relaxed font-medium [overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>;
}
