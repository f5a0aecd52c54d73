interface FreshMarkProps {
  readonly isFresh: boolean;
  /** Another text shows the mark anew. */
  readonly version: string;
}

/** A line at the edge of a row that has just changed; it fades. Its row or card must be positioned. */
export function FreshMark({ isFresh, version }: FreshMarkProps) {
  if (!isFresh) return null;
  return (
    <span
      key={version}
      aria-hidden
      className="pointer-events-none absolute inset-y-2 -left-3 w-[3px] animate-settle rounded-full bg-accent"
    />
  );
}
