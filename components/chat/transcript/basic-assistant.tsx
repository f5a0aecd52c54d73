import { ArrowUpRight } from 'lucide-react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { useModelChoice } from '#components/chat/session/use-model-choice';
import { Disclosure } from '#components/ui/buttons';
import { strings } from '#components/words';
import type { ModelList } from '#server/core/settings-report';

const say = strings.basicAssistant;

/** The next message is answered by the basic assistant, which is no language model. False until that is known. */
export function useBasicAssistant(): boolean {
  const { data: models } = useSWR<ModelList>(paths.models);
  const [modelId] = useModelChoice();
  const model = models?.items.find(({ id }) => id === (modelId ?? models.defaultModelId));
  return model?.provider === 'built-in';
}

/** Says to a newcomer who answers here, and how to connect a language model. */
export function BasicAssistantStrip() {
  return (
    <aside aria-label={say.label} className="mb-5 rounded-xl border border-rule bg-accent-wash px-4 py-3 text-sm">
      <p className="font-medium">{say.title}</p>
      <p className="mt-0.5 text-ink-2">{say.body}</p>
      <Disclosure title={say.connect}>
        <ol className="mt-2 list-decimal pl-5 text-ink-2 [&_code]:rounded [&_code]:bg-ink/6 [&_code]:px-1 [&_code]:text-xs [&_code]:break-all">
          <li>
            {say.writeKey} <code>{say.key}</code>
          </li>
          <li>
            {say.orLocal} <code>{say.local}</code>
          </li>
          <li>{say.restart}</li>
        </ol>
      </Disclosure>
    </aside>
  );
}

interface SentencesProps {
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onChoose: (sentence: string) => void;
}

/** Requests that the assistant understands, to click. */
export function Sentences({ label, isDisabled = false, onChoose }: SentencesProps) {
  return (
    <section aria-label={label}>
      <h2 className="mb-1 text-xs text-ink-3">{label}</h2>
      <ul className="divide-y divide-rule">
        {strings.start.suggestions.map((suggestion) => (
          <li key={suggestion}>
            <button
              type="button"
              disabled={isDisabled}
              onClick={() => onChoose(suggestion)}
              className="group/suggestion flex w-full items-center gap-3 py-3 text-left text-base text-ink-2 transition-colors hover:text-ink"
            >
              <span className="flex-1">{suggestion}</span>
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
