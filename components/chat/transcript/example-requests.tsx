import { ArrowUpRight } from 'lucide-react';
import { basicSentences, examplesNeed, suggestions } from '#components/chat/text/example-requests.ts';
import { useEntries } from '#components/workspace/entries.ts';

interface ExampleRequestsProps {
  readonly label: string;
  /** True if the basic assistant answers. */
  readonly isBasic: boolean;
  readonly isDisabled?: boolean;
  readonly onChoose: (request: string) => void;
}

/**
 * Example requests as buttons, without those about content that this site does not have. For the basic assistant they
 * are in English, the only language that it understands.
 */
export function ExampleRequests({ label, isBasic, isDisabled = false, onChoose }: ExampleRequestsProps) {
  const { entries } = useEntries();
  const all: readonly string[] = isBasic ? basicSentences : suggestions();
  const hasEntry = (word: string) => entries?.some(({ title }) => title.toLowerCase().includes(word)) === true;
  // `examplesNeed` has the order of the examples, in every language.
  const requests = all.filter((_, index) => examplesNeed[index]?.every(hasEntry));
  return (
    <section aria-label={label}>
      <h2 className="mb-1 text-xs text-ink-3">{label}</h2>
      <ul lang={isBasic ? 'en' : undefined} className="divide-y divide-rule">
        {requests.map((request) => (
          <li key={request}>
            <button
              type="button"
              disabled={isDisabled}
              onClick={() => onChoose(request)}
              className="group/suggestion flex w-full items-center gap-3 py-3 text-left text-base text-ink-2 transition-colors hover:text-ink"
            >
              <span className="flex-1">{request}</span>
              <ArrowUpRight
                aria-hidden
                className="size-4 text-ink-3 transition-transform group-hover/suggestion:translate-x-0.5 group-hover/suggestion:-translate-y-0.5 group-hover/suggestion:text-accent"
              />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
