import clsx from 'clsx';
import { Command } from 'cmdk';
import { Check, Image } from 'lucide-react';
import { paths } from '#components/api/paths.ts';
import { compactNumber, dollars } from '#components/format.ts';
import { inYourWords } from '#components/served-words.ts';
import { focusWhenShown } from '#components/ui/focus/focus.ts';
import { modelStrings } from '#components/chat/text/words.ts';
import { useApi } from '#components/api/use-api.ts';
import type { ModelList } from '#server/core/admin/settings-report';

const texts = modelStrings;

type Choice = ModelList['items'][number];

interface ModelChoicesProps {
  /** Null for a new conversation. */
  readonly sessionId: string | null;
  /** Models shown until this conversation's turn prices are known. */
  readonly fallback: ModelList;
  readonly value: string;
  readonly onChoose: (modelId: string) => void;
}

/**
 * All models to choose from, the recommended ones first, with context window, price of a turn of this conversation, and
 * image support.
 */
export function ModelChoices({ sessionId, fallback, value, onChoose }: ModelChoicesProps) {
  const priced = useApi(sessionId === null ? null : paths.modelsIn(sessionId), { revalidateOnFocus: false });
  const { items, typicalTurn, recommendedOn } = priced.data ?? fallback;
  const recommended = Object.keys(texts.purposes)
    .map((purpose) => items.find((model) => model.recommended === purpose))
    .filter((model) => model !== undefined);
  const others = items.filter((model) => !recommended.includes(model));
  const row = (model: Choice) => (
    <ModelRow key={model.id} model={model} isChosen={model.id === value} onChoose={() => onChoose(model.id)} />
  );
  return (
    <Command label={texts.list} defaultValue={value} loop>
      <Command.Input
        ref={focusWhenShown}
        placeholder={texts.search}
        className="h-10 w-full border-b border-rule bg-transparent px-3 text-sm outline-none placeholder:text-ink-3"
      />
      <Command.List
        label={texts.list}
        className="max-h-80 overflow-y-auto p-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3"
      >
        <Command.Empty className="px-2 py-3 text-sm text-ink-3">{texts.none}</Command.Empty>
        {recommended.length > 0 && (
          <Command.Group heading={texts.recommended(recommendedOn)}>{recommended.map(row)}</Command.Group>
        )}
        <Command.Group heading={recommended.length > 0 ? texts.others : texts.list}>{others.map(row)}</Command.Group>
      </Command.List>
      {items.some(({ turnPrice }) => turnPrice) && (
        <p className="border-t border-rule px-3 py-2 text-xs text-ink-3">
          {typicalTurn.turns === 0 ? texts.usualTurn : texts.thisTurn(typicalTurn.turns)}
        </p>
      )}
    </Command>
  );
}

interface ModelRowProps {
  readonly model: Choice;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

function ModelRow({ model, isChosen, onChoose }: ModelRowProps) {
  const { id, contextWindow, known, acceptsImages, acceptsTools, turnPrice } = model;
  const name = inYourWords(model.name);
  const purpose = model.recommended === null ? null : texts.purposes[model.recommended];
  const price = turnPrice === null ? texts.priceUnknown : turnPrice === 0 ? texts.free : texts.turn(dollars(turnPrice));
  return (
    <Command.Item
      value={id}
      keywords={[name]}
      onSelect={onChoose}
      aria-current={isChosen}
      className="flex cursor-pointer items-start gap-2 rounded-md px-2 py-1.5 text-sm select-none data-[selected=true]:bg-ink/6"
    >
      <Check aria-hidden className={clsx('mt-0.5 size-4 shrink-0 text-accent', !isChosen && 'invisible')} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2">
          <span className="truncate">{name}</span>
          {purpose && <span className="shrink-0 text-xs text-accent">{purpose}</span>}
        </span>
        <span className="flex flex-wrap gap-x-2 text-xs text-ink-3 tabular-nums">
          <span title={known ? undefined : model.warning === null ? undefined : inYourWords(model.warning)}>
            {known ? texts.window(compactNumber(contextWindow)) : texts.windowUnknown}
          </span>
          <span>{price}</span>
          {acceptsImages ? (
            <span className="inline-flex items-center gap-1">
              <Image aria-hidden className="size-3" />
              {texts.pictures}
            </span>
          ) : (
            <span>{texts.noPictures}</span>
          )}
          {!acceptsTools && <span className="text-amber">{texts.noTools}</span>}
        </span>
      </span>
    </Command.Item>
  );
}
