import clsx from 'clsx';
import { Command } from 'cmdk';
import { Check, Image } from 'lucide-react';
import useSWR from 'swr';
import { paths } from '#components/api/paths';
import { compactNumber, dollars } from '#components/figures';
import { inYourWords } from '#components/served-words';
import { focusWhenShown } from '#components/ui/focus';
import { modelStrings } from '#components/chat/session/words';
import type { ModelList } from '#server/core/settings-report';

const say = modelStrings;

type Choice = ModelList['items'][number];

interface ModelChoicesProps {
  /** Null: a conversation to come. */
  readonly sessionId: string | null;
  /** Models to show until this conversation's turn prices are known. */
  readonly fallback: ModelList;
  readonly value: string;
  readonly onChoose: (modelId: string) => void;
}

/** All models to choose from, the recommended ones first: window, price of a turn of this conversation, pictures. */
export function ModelChoices({ sessionId, fallback, value, onChoose }: ModelChoicesProps) {
  const priced = useSWR<ModelList>(sessionId === null ? null : paths.modelsIn(sessionId), { revalidateOnFocus: false });
  const { items, typicalTurn, recommendedOn } = priced.data ?? fallback;
  const recommended = Object.keys(say.purposes)
    .map((purpose) => items.find((model) => model.recommended === purpose))
    .filter((model) => model !== undefined);
  const others = items.filter((model) => !recommended.includes(model));
  const row = (model: Choice) => (
    <ModelRow key={model.id} model={model} isChosen={model.id === value} onChoose={() => onChoose(model.id)} />
  );
  return (
    <Command label={say.list} defaultValue={value} loop>
      <Command.Input
        ref={focusWhenShown}
        placeholder={say.search}
        className="h-10 w-full border-b border-rule bg-transparent px-3 text-sm outline-none placeholder:text-ink-3"
      />
      <Command.List
        label={say.list}
        className="max-h-80 overflow-y-auto p-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3"
      >
        <Command.Empty className="px-2 py-3 text-sm text-ink-3">{say.none}</Command.Empty>
        {recommended.length > 0 && (
          <Command.Group heading={say.recommended(recommendedOn)}>{recommended.map(row)}</Command.Group>
        )}
        <Command.Group heading={recommended.length > 0 ? say.others : say.list}>{others.map(row)}</Command.Group>
      </Command.List>
      {items.some(({ turnPrice }) => turnPrice) && (
        <p className="border-t border-rule px-3 py-2 text-xs text-ink-3">
          {typicalTurn.turns === 0 ? say.usualTurn : say.thisTurn(typicalTurn.turns)}
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
  const { id, contextWindow, known, acceptsImages, turnPrice } = model;
  const name = inYourWords(model.name);
  const purpose = model.recommended === null ? null : say.purposes[model.recommended];
  const price = turnPrice === null ? say.priceUnknown : turnPrice === 0 ? say.free : say.turn(dollars(turnPrice));
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
            {known ? say.window(compactNumber(contextWindow)) : say.windowUnknown}
          </span>
          <span>{price}</span>
          {acceptsImages ? (
            <span className="inline-flex items-center gap-1">
              <Image aria-hidden className="size-3" />
              {say.pictures}
            </span>
          ) : (
            <span>{say.noPictures}</span>
          )}
        </span>
      </span>
    </Command.Item>
  );
}
