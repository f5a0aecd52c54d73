/** Plain sentences with `code` in them. */
export function RichText({ text }: { readonly text: string }) {
  return text.split('`').map((piece, index) =>
    index % 2 === 0 ? (
      piece
    ) : (
      <code key={index} className="rounded-sm bg-ink/6 px-1 font-mono text-[0.92em] break-words">
        {piece}
      </code>
    ),
  );
}
