import { fetchedLater } from '#components/ui/fetched-later';
import { strings } from '#lib/strings';

/** What one compaction made and kept. Seldom looked at: not part of what every visit loads. */
export const CompactionDetails = fetchedLater(
  async () => (await import('#components/context/compaction-details')).default,
  <p className="text-sm text-ink-3">{strings.compaction.detailsLoading}</p>,
);
