import { RoundEntry } from '#components/admin/rounds/round-entry';
import { Section } from '#components/admin/section';
import { newestFirst } from '#lib/admin/compaction-words';
import type { Report } from '#lib/admin/use-session-report';
import { adminStrings } from '#lib/strings/admin';
import type { ContextHistory } from '#server/core/context-report';

const say = adminStrings.rounds;

interface RoundsSectionProps {
  readonly sessionId: string;
  readonly history: Report<ContextHistory>;
  /** Ids of those that are unfolded. */
  readonly openRounds: ReadonlySet<string>;
  readonly onOpenChange: (compactionId: string, isOpen: boolean) => void;
  /** One was taken back. */
  readonly onChanged: () => void;
}

/** What was compacted and pruned, why, and what came of it. */
export function RoundsSection({ sessionId, history, openRounds, onOpenChange, onChanged }: RoundsSectionProps) {
  const records = newestFirst(history.data?.compactions ?? []);
  return (
    <Section title={say.title} intro={say.intro}>
      {history.data !== undefined && records.length === 0 && <p className="text-sm text-ink-2">{say.empty}</p>}
      <ol aria-label={say.list}>
        {records.map((record) => (
          <RoundEntry
            key={record.id}
            sessionId={sessionId}
            record={record}
            isOpen={openRounds.has(record.id)}
            onOpenChange={(isOpen) => onOpenChange(record.id, isOpen)}
            onChanged={onChanged}
          />
        ))}
      </ol>
    </Section>
  );
}
