import { translator } from '#components/i18n.ts';
import clsx from 'clsx';
import { X } from 'lucide-react';
import { toolName } from '#components/chat/parts/tool-titles.ts';
import { ModelField } from '#components/settings/form/model-field';
import { NumbersField } from '#components/settings/form/numbers-field';
import { ProgramsField } from '#components/settings/form/programs-field';
import type { ProgramRules } from '#components/settings/form/setting-problems.ts';
import { choiceWords } from '#components/settings/form/setting-text.ts';
import type { FieldProps } from '#components/settings/form/field-props.ts';
import { NumberInputField } from '#components/settings/form/number-input';
import { amountInFull, type NumberInput, unitName } from '#components/settings/form/number-text.ts';
import { Toggle } from '#components/ui/controls/toggle';
import { IconButton } from '#components/ui/buttons';
import { fieldStyle } from '#components/ui/fields';
import type { SettingReference, SettingValue, ToolReport } from '#server/core/admin/settings-report';

const t = translator('settings');

interface SettingInputFieldProps extends FieldProps<SettingValue> {
  readonly setting: SettingReference;
  readonly tools: readonly ToolReport[];
}

/** The field of a setting, by the kind of its value. */
export function SettingInputField({ setting, tools, value, ...props }: SettingInputFieldProps) {
  const { input } = setting;
  switch (input.kind) {
    case 'number':
      return <NumberField {...props} setting={setting} input={input} value={value} />;
    case 'toggle':
      return <ToggleField {...props} value={value === true} />;
    case 'choice':
      return <ChoiceField {...props} names={input.names} value={value as string} />;
    case 'model':
      return <ModelField {...props} openChoice={input.word} value={value as string} />;
    case 'origins':
      return <OriginsField {...props} value={value as string} />;
    case 'numbers':
      return <NumbersField {...props} input={input} tools={tools} value={value as Record<string, number | ''>} />;
    case 'programs':
      return <ProgramsField input={input} value={value as Record<string, ProgramRules>} onChange={props.onChange} />;
    case 'choices':
      return <PoliciesField {...props} names={input.names} tools={tools} value={value as Record<string, string>} />;
  }
}

interface ChoiceFieldProps extends FieldProps<string> {
  readonly names: readonly string[];
}

/** Choice of one of a few names, each with its effect. */
function ChoiceField({ id, labelId, describedBy, isInvalid, names, value, onChange }: ChoiceFieldProps) {
  return (
    <div
      role="radiogroup"
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      className="overflow-hidden rounded-lg border border-rule-strong bg-sheet"
    >
      {names.map((name, index) => {
        const choice = choiceWords(name) ?? { name, effect: '' };
        const isChosen = name === value;
        return (
          <label
            key={name}
            className={clsx(
              'flex cursor-pointer gap-3 border-b border-rule px-4 py-3 last:border-b-0 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
              isChosen ? 'bg-accent-wash' : 'hover:bg-ink/3',
            )}
          >
            <input
              type="radio"
              id={index === 0 ? id : undefined}
              name={id}
              value={name}
              checked={isChosen}
              aria-describedby={`${id}-${name}`}
              aria-label={choice.name}
              onChange={() => onChange(name)}
              className="mt-1 size-4 shrink-0 accent-accent outline-none"
            />
            <span className="min-w-0">
              <span className="block text-sm font-medium">{choice.name}</span>
              <span id={`${id}-${name}`} className="block text-sm text-ink-2">
                {choice.effect}
              </span>
            </span>
          </label>
        );
      })}
    </div>
  );
}

/** Addresses, separated by commas. */
function OriginsField({ id, labelId, describedBy, isInvalid, value, onChange }: FieldProps<string>) {
  return (
    <input
      id={id}
      value={value}
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      placeholder="https://"
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      onChange={(event) => onChange(event.target.value)}
      className={clsx(fieldStyle, 'w-full text-sm', isInvalid ? 'border-red' : 'border-rule-strong')}
    />
  );
}

interface NumberFieldProps extends FieldProps<SettingValue> {
  readonly setting: SettingReference;
  readonly input: NumberInput;
}

/** A number with its unit and, if that is easier to check, the same amount in another form. */
function NumberField({ setting: { unit }, input, id, describedBy, isInvalid, value, onChange }: NumberFieldProps) {
  const amount = typeof value === 'number' ? value : '';
  const inFull = amount === '' ? null : amountInFull(input, amount);
  return (
    <div className="flex items-center gap-2.5">
      <NumberInputField
        id={id}
        input={input}
        value={amount}
        aria-describedby={`${id}-unit ${describedBy}`}
        isInvalid={isInvalid}
        onChange={onChange}
        className="w-32 shrink-0"
      />
      <span id={`${id}-unit`} className="min-w-0 text-xs leading-tight text-ink-2">
        {unitName(input.displayUnit, unit)}
        {inFull !== null && <span className="block text-ink-3 tabular-nums">{inFull}</span>}
      </span>
    </div>
  );
}

/** On or off. */
function ToggleField({ id, labelId, describedBy, value, onChange }: FieldProps<boolean>) {
  return (
    <div className="flex h-9 items-center gap-3">
      <Toggle
        id={id}
        aria-labelledby={labelId}
        aria-describedby={describedBy}
        checked={value}
        onCheckedChange={onChange}
      />
      <span aria-hidden className="text-sm text-ink-2">
        {value ? t('on') : t('off')}
      </span>
    </div>
  );
}

interface PoliciesFieldProps extends FieldProps<Readonly<Record<string, string>>> {
  readonly names: readonly string[];
  readonly tools: readonly ToolReport[];
}

/** Permission of each tool. A permission that equals the default of the tool is not stored. */
function PoliciesField({ id, isInvalid, names, tools, value, onChange }: PoliciesFieldProps) {
  // Tools that have a permission but do not exist any more.
  const missing = Object.keys(value).filter((name) => !tools.some((tool) => tool.name === name));
  const remove = (name: string) => {
    const { [name]: _, ...others } = value;
    onChange(others);
  };
  return (
    <div
      className={clsx('overflow-hidden rounded-lg border bg-sheet', isInvalid ? 'border-red' : 'border-rule-strong')}
    >
      {tools.map((tool, index) => (
        <div
          key={tool.name}
          className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-rule px-4 py-2.5 last:border-b-0"
        >
          <div className="min-w-52 flex-1">
            <p className="text-sm font-medium">
              {toolName(tool.name)}
              {tool.writes && (
                <span className="ml-2 text-xs font-normal text-ink-3">
                  {tool.policy === 'ask' ? t('tools.asks') : t('tools.writes')}
                </span>
              )}
            </p>
            <p className="text-xs text-ink-2">{t.find(`tools.does.${tool.name}`) ?? tool.description}</p>
          </div>
          <PolicySwitch
            id={index === 0 ? id : `${id}-${tool.name}`}
            label={t('tools.policyOf', { tool: toolName(tool.name) })}
            names={names}
            value={value[tool.name] ?? tool.policy}
            onChange={(name) => (name === tool.policy ? remove(tool.name) : onChange({ ...value, [tool.name]: name }))}
          />
        </div>
      ))}
      {missing.map((name) => (
        <div
          key={name}
          className="flex items-center justify-between gap-4 border-b border-rule px-4 py-2 last:border-b-0"
        >
          <p className="text-sm text-ink-2">
            <code className="font-mono text-xs">{name}</code> · {t('tools.unknown')}
          </p>
          <IconButton label={t('record.remove', { key: name })} icon={<X aria-hidden />} onClick={() => remove(name)} />
        </div>
      ))}
    </div>
  );
}

interface PolicySwitchProps {
  readonly id: string;
  readonly label: string;
  readonly names: readonly string[];
  readonly value: string;
  readonly onChange: (name: string) => void;
}

function PolicySwitch({ id, label, names, value, onChange }: PolicySwitchProps) {
  return (
    <div role="radiogroup" aria-label={label} className="flex shrink-0 rounded-md bg-ink/6 p-0.5">
      {names.map((name, index) => (
        <label
          key={name}
          className={clsx(
            'cursor-pointer rounded px-2.5 py-1 text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent',
            name === value
              ? 'bg-sheet font-medium text-ink shadow-[0_1px_2px_rgb(0_0_0/0.12)] dark:bg-rule-strong'
              : 'text-ink-2 hover:text-ink',
          )}
        >
          <input
            id={index === 0 ? id : undefined}
            type="radio"
            name={id}
            value={name}
            checked={name === value}
            onChange={() => onChange(name)}
            className="sr-only"
          />
          {t.find(`tools.policies.${name}`) ?? name}
        </label>
      ))}
    </div>
  );
}
