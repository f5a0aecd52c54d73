import { ArrowUpRight, Plug } from 'lucide-react';
import useSWR from 'swr';
import { useMe } from '#components/access/access-client';
import { paths } from '#components/api/paths';
import { chooseModel, useNextModel } from '#components/chat/models/model-picker';
import { useEntries } from '#components/desk/entries';
import { Button } from '#components/ui/buttons';
import { fetchedLater } from '#components/ui/fetched-later';
import { useOpened } from '#components/ui/hooks';
import { basicSentences, examplesNeed, startStrings, basicAssistantStrings } from '#components/chat/session/words';
import type { ModelList } from '#server/core/settings-report';

const ConnectDialog = fetchedLater(async () => (await import('#components/providers/connect-dialog')).ConnectDialog);

const BUILT_IN = 'built-in';

/** The next message is answered by the basic assistant, which is no language model. False until that is known. */
export function useBasicAssistant(sessionId: string | null): boolean {
  return useNextModel(sessionId)?.provider === BUILT_IN;
}

/** Says to a newcomer who answers here, and leads to a language model. */
export function BasicAssistantStrip() {
  const { data: models } = useSWR<ModelList>(paths.models);
  const me = useMe();
  const dialog = useOpened();
  const say = basicAssistantStrings.strip;
  const hasModels = models?.items.some(({ provider }) => provider !== BUILT_IN);
  return (
    <aside aria-label={say.title} className="mb-5 rounded-xl border border-rule bg-accent-wash px-4 py-3 text-sm">
      <p className="font-medium">{say.title}</p>
      <p className="mt-0.5 text-ink-2">{hasModels ? say.choose : say.body}</p>
      {!hasModels && me?.role === 'admin' && (
        <Button variant="primary" className="mt-3 h-9" onClick={() => dialog.open()}>
          <Plug aria-hidden className="size-4" />
          {say.connect}
        </Button>
      )}
      {!hasModels && me !== undefined && me.role !== 'admin' && <p className="mt-2 text-ink-2">{say.ask}</p>}
      {dialog.opened && (
        <ConnectDialog onConnected={(modelId) => void chooseModel(null, modelId)} onClose={dialog.close} />
      )}
    </aside>
  );
}

interface SentencesProps {
  readonly label: string;
  /** The basic assistant answers. */
  readonly isBasic: boolean;
  readonly isDisabled?: boolean;
  readonly onChoose: (sentence: string) => void;
}

/** Requests that the assistant understands, to click: those that are about something on this site. */
export function Sentences({ label, isBasic, isDisabled = false, onChoose }: SentencesProps) {
  const { entries } = useEntries();
  const all: readonly string[] = isBasic ? basicSentences : startStrings.suggestions;
  const isThere = (word: string) => !entries || entries.some(({ title }) => title.toLowerCase().includes(word));
  // Those for a model are in the language of the page, and so may be the titles.
  const sentences = isBasic ? all.filter((_, index) => !examplesNeed[index] || isThere(examplesNeed[index])) : all;
  return (
    <section aria-label={label}>
      <h2 className="mb-1 text-xs text-ink-3">{label}</h2>
      <ul lang={isBasic ? 'en' : undefined} className="divide-y divide-rule">
        {sentences.map((suggestion) => (
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
