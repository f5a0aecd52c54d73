const ROWS = 8;

/** The table's outline, as high as its rows will be, while it loads. */
export function SessionsSkeleton() {
  return (
    <div aria-hidden className="mt-6">
      <div className="h-[1.625rem] border-b border-rule-strong max-[899px]:hidden" />
      {Array.from({ length: ROWS }, (_, row) => (
        <div key={row} className="flex h-14 items-center gap-8 border-b border-rule max-[899px]:h-26">
          <span
            className="h-3 animate-breathe rounded bg-rule"
            style={{ width: `${String(30 + ((row * 37) % 40))}%` }}
          />
          <span className="ml-auto h-1.5 w-40 animate-breathe rounded bg-rule" />
        </div>
      ))}
    </div>
  );
}
