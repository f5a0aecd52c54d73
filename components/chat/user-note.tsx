import { strings } from '#lib/strings';

/** What the user wrote: a note in the margin, marked by the blue pencil. */
export function UserNote({ text }: { readonly text: string }) {
  return (
    <div className="border-l-2 border-accent pl-4">
      <span className="sr-only">{strings.transcript.you}: </span>
      <p className="text-base leading-relaxed font-medium [overflow-wrap:anywhere] whitespace-pre-wrap">{text}</p>
    </div>
  );
}
