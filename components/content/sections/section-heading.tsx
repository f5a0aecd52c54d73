/** The heading of a section, and the few words below it. */
export function SectionHeading({
  heading,
  intro,
}: {
  readonly heading?: string | undefined;
  readonly intro?: string | undefined;
}) {
  if (heading === undefined && intro === undefined) return null;
  return (
    <header className="site-section-head">
      {heading !== undefined && <h2>{heading}</h2>}
      {intro !== undefined && <p className="site-intro">{intro}</p>}
    </header>
  );
}
