import { BookmarkCheck } from 'lucide-react';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { useApi } from '#components/api/use-api.ts';

const t = translator('preference');

interface PreferenceStripProps {
  readonly sessionId: string;
  /** Opens the list of preferences. */
  readonly onShow: () => void;
}

/** A notice above the message field while proposed preferences wait for a decision; otherwise nothing. */
export function PreferenceStrip({ sessionId, onShow }: PreferenceStripProps) {
  const { data } = useApi(paths.preferences(sessionId));
  const waiting = data?.items.filter(({ confirmedAt }) => confirmedAt === null).length ?? 0;
  if (waiting === 0) return null;
  return (
    <output className="mb-2 flex flex-wrap items-baseline gap-x-2 rounded-lg bg-accent-wash px-3 py-2 text-sm">
      <BookmarkCheck aria-hidden className="size-4 self-center text-accent" />
      <span className="min-w-0 flex-1">{t('waiting', { count: waiting })}</span>
      <button type="button" onClick={onShow} className="rounded text-accent underline underline-offset-3">
        {t('decide')}
      </button>
    </output>
  );
}
