import { useId } from 'react';
import { translator } from '#components/i18n.ts';
import { useProviders } from '#components/providers/provider-requests.ts';
import type { FieldProps } from '#components/settings/form/field-props.ts';
import { ModelField } from '#components/settings/form/model-field';
import { NumberInputField } from '#components/settings/form/number-input';
import { rangeText, shownNumber } from '#components/settings/form/number-text.ts';
import {
  programNumber,
  type ProgramsInput,
  type ProgramRules,
  programsProblem,
} from '#components/settings/form/setting-problems.ts';
import { choiceWords } from '#components/settings/form/setting-text.ts';
import { Field, formFieldStyle } from '#components/ui/fields';
import { connectableIds } from '#server/core/admin/provider-names';
import { fullWindowStrategies } from '#server/core/admin/strategy-names';

const t = translator('settings');
const tProviders = translator('providers');

/** The fieldset around it has its label and its description. */
interface ProgramsFieldProps extends Omit<
  FieldProps<Readonly<Record<string, ProgramRules>>>,
  'id' | 'labelId' | 'describedBy' | 'isInvalid'
> {
  readonly input: ProgramsInput;
}

/** How conversations of other programs are shortened, for each connected provider. */
export function ProgramsField({ input, value, onChange }: ProgramsFieldProps) {
  const { providers = [] } = useProviders();
  const isConfigured = (provider: string) => providers.some((each) => each.id === provider && each.configured);
  const shown = connectableIds.filter((provider) => provider in value || isConfigured(provider));
  const change = (provider: string, rules: ProgramRules) => {
    const { [provider]: _, ...others } = value;
    onChange(Object.keys(rules).length === 0 ? others : { ...others, [provider]: rules });
  };
  return (
    <div className="rounded-lg border border-rule-strong bg-sheet">
      {shown.length === 0 && <p className="px-4 py-3 text-sm text-ink-3">{t('programs.none')}</p>}
      {shown.map((provider) => (
        <ProviderRules
          key={provider}
          name={tProviders(`names.${provider}.name`)}
          input={input}
          rules={value[provider] ?? {}}
          onChange={(rules) => change(provider, rules)}
        />
      ))}
    </div>
  );
}

interface ProviderRulesProps {
  readonly name: string;
  readonly input: ProgramsInput;
  readonly rules: ProgramRules;
  readonly onChange: (rules: ProgramRules) => void;
}

/** The fields of one provider. */
function ProviderRules({ name, input, rules, onChange }: ProviderRulesProps) {
  const modelLabel = useId();
  const isWrong = programsProblem(input, rules) !== null;
  const strategy = rules.strategy ?? input.strategy;
  /** An empty value means the default. */
  const set = (key: string, next: string | number) => {
    const { [key]: _, ...others } = rules;
    onChange(next === '' ? others : { ...others, [key]: next });
  };
  const nameOf = (each: string) => choiceWords(each)?.name ?? each;
  const share = (key: 'compactAt' | 'endAt') => {
    const number = programNumber(input, key);
    const amount = rules[key];
    return (
      <Field label={t(`programs.${key}`)} hint={t('range', { range: rangeText(number) })}>
        {(ids) => (
          <NumberInputField
            {...ids}
            input={number}
            isInvalid={isWrong}
            placeholder={shownNumber('percent', input[key].default)}
            value={typeof amount === 'number' ? amount : ''}
            onChange={(next) => set(key, next)}
            className="w-full text-sm placeholder:text-ink-3"
          />
        )}
      </Field>
    );
  };
  return (
    <fieldset className="border-b border-rule px-4 pt-3 pb-4 last:border-b-0">
      <legend className="float-left mb-2 w-full text-sm font-medium">{name}</legend>
      <div className="clear-both grid gap-x-4 gap-y-3 sm:grid-cols-2">
        <div className="sm:col-span-2">
          <Field label={t('programs.strategy')}>
            {(ids) => (
              <select
                {...ids}
                value={rules.strategy ?? ''}
                onChange={({ target }) => set('strategy', target.value)}
                className={formFieldStyle}
              >
                <option value="">{t('programs.standard', { value: nameOf(input.strategy) })}</option>
                {input.strategies.map((each) => (
                  <option key={each} value={each}>
                    {nameOf(each)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        {!fullWindowStrategies.has(String(strategy)) && share('compactAt')}
        {share('endAt')}
        {strategy === 'pruning-agent' && (
          <div className="sm:col-span-2">
            <p id={modelLabel} className="mb-1 text-sm font-medium">
              {t('programs.pruningAgentModel')}
            </p>
            <ModelField
              id={`${modelLabel}-field`}
              labelId={modelLabel}
              describedBy=""
              isInvalid={false}
              openChoice={null}
              placeholder={t('programs.sameModel')}
              value={String(rules['pruningAgentModel'] ?? '')}
              onChange={(next) => set('pruningAgentModel', next)}
            />
          </div>
        )}
      </div>
    </fieldset>
  );
}
