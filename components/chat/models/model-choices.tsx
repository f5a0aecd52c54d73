import clsx from 'clsx';
import { Command } from 'cmdk';
import { Check, Image } from 'lucide-react';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { compactNumber, dollars } from '#components/format.ts';
import { modelName } from '#components/chat/models/model-name.ts';
import { localizedText } from '#components/message-text.ts';
import { focusWhenShown } from '#components/ui/focus/focus.ts';
import { useApi } from '#components/api/use-api.ts';
import type { ModelList } from '#server/core/admin/settings-report';

const t = translator('model');

/** Kinds of recommended models, in the order of the list. */
const purposes = ['best', 'balanced', 'cheap'] as const;

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
  const recommended = purposes
    .map((purpose) => items.find((model) => model.recommended === purpose))
    .filter((model) => model !== undefined);
  const others = items.filter((model) => !recommended.includes(model));
  const row = (model: Choice) => (
    <ModelRow key={model.id} model={model} isChosen={model.id === value} onChoose={() => onChoose(model.id)} />
  );
  return (
    <Command label={t('list')} defaultValue={value} loop>
      <Command.Input
        ref={focusWhenShown}
        placeholder={t('search')}
        className="h-10 w-full border-b border-rule bg-transparent px-3 text-sm outline-none placeholder:text-ink-3"
      />
      <Command.List
        label={t('list')}
        className="max-h-80 overflow-y-auto p-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:text-ink-3"
      >
        <Command.Empty className="px-2 py-3 text-sm text-ink-3">{t('none')}</Command.Empty>
        {recommended.length > 0 && (
          <Command.Group heading={t('recommended', { month: recommendedOn })}>{recommended.map(row)}</Command.Group>
        )}
        <Command.Group heading={recommended.length > 0 ? t('others') : t('list')}>{others.map(row)}</Command.Group>
      </Command.List>
      {items.some(({ turnPrice }) => turnPrice) && (
        <p className="border-t border-rule px-3 py-2 text-xs text-ink-3">
          {typicalTurn.turns === 0 ? t('usualTurn') : t('thisTurn', { turns: typicalTurn.turns })}
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
  const name = modelName(model);
  const purpose = model.recommended === null ? null : t(`purposes.${model.recommended}`);
  const price =
    turnPrice === null ? t('priceUnknown') : turnPrice === 0 ? t('free') : t('turn', { price: dollars(turnPrice) });
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
          <span
            title={
              known
                ? undefined
                : model.warning === null
                  ? undefined
                  : localizedText(model.warningMessage, model.warning)
            }
          >
            {known ? t('window', { tokens: compactNumber(contextWindow) }) : t('windowUnknown')}
          </span>
          <span>{price}</span>
          {acceptsImages ? (
            <span className="inline-flex items-center gap-1">
              <Image aria-hidden className="size-3" />
              {t('pictures')}
            </span>
          ) : (
            <span>{t('noPictures')}</span>
          )}
          {!acceptsTools && <span className="text-amber">{t('noTools')}</span>}
        </span>
      </span>
    </Command.Item>
  );
}
